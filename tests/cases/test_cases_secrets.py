"""Case 31: secrets come in by every field, and none is found in the bytes of any file, log, queue or export."""

from __future__ import annotations

import logging
from pathlib import Path

import apsw
import pytest

from retentive import Memory, Settings
from retentive.models.embed_none import NoEmbedder
from retentive.scoped import ScopedMemory
from steps.test_redact_planted import TOKENS, Maker

SEED = 31


def planted() -> dict[str, str]:
    """A fresh value of every kind that is known by its own form."""
    maker = Maker(SEED)
    return {kind: make(maker) for kind, make in TOKENS.items()}


def plant(mine: ScopedMemory, kind: str, secret: str) -> None:
    """One secret, by every field that takes words."""
    messages = [
        {"role": "user", "content": f"The new {kind} is {secret}, please keep it", "id": f"m-{secret}"},
        {"role": "tool", "content": f'{{"output": "{secret}"}}', "name": secret[:200], "type": "tool_result"},
        {"role": "user", "content": f"note about {kind}", "metadata": {"value": secret, "tags": [f"a {secret}"]}},
        {"role": "user", "content": f"key of {kind}", "metadata": {f"k {secret}"[:300]: "x"}},
    ]
    mine.record(messages, session_id=f"s-{secret}"[:250])
    mine.remember(
        f"Uses {secret} for {kind}", metadata={"token": secret}, idempotency_key=f"i {secret}"[:250], source="user"
    )
    with mine.session() as chat:
        chat.add("user", f"I moved to Berlin and my {kind} is {secret}")


def bytes_of(folder: Path) -> bytes:
    """Every file's bytes, one after the other."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def found_in(data: bytes, secrets: dict[str, str]) -> list[str]:
    """Kinds whose value stands in the bytes, whole or its most telling middle."""
    return [kind for kind, value in secrets.items() if value.encode() in data]


def test_case_31_no_planted_secret_is_in_any_byte(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Fifty kinds and more, eight fields, a whole session life at DEBUG: nothing is left of them."""
    secrets = planted()
    assert len(secrets) >= 50
    caplog.set_level(logging.DEBUG)
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        for kind, secret in secrets.items():
            plant(mine, kind, secret)
        while_open = found_in(bytes_of(tmp_path), secrets)
        memory.process()
        mine.export(tmp_path / "export.jsonl")
        texts = " ".join(item.text for item in mine.list(status=None, limit=10_000))
        assert "Uses [REDACTED:" in texts
        assert len(mine.recall("which key is it?", k=50)) > 0
    assert while_open == []
    assert found_in(bytes_of(tmp_path), secrets) == []
    assert found_in(caplog.text.encode(), secrets) == []


def test_case_31_a_receipt_says_what_was_taken_out(mine: ScopedMemory) -> None:
    """The caller learns the kind, not the value."""
    secret = planted()["openai"]
    item = mine.remember(f"The key is {secret}").items[0]
    assert item.reason is not None
    assert "taken out" in item.reason
    assert secret not in item.reason


def test_case_31_the_same_secret_id_is_still_the_same_message(mine: ScopedMemory) -> None:
    """A message id that is a secret is not stored, yet a repeat is known as one."""
    secret = planted()["openai"]
    message = {"content": "hello there", "id": secret}
    first = mine.record([message], session_id=secret)
    again = mine.record([message], session_id=secret)
    assert again.items[0].outcome == "duplicate"
    assert again.ids == first.ids
    assert [item.text for item in mine.session_messages(secret)] == ["hello there"]


def test_case_31_rescan_cleans_what_older_rules_let_in(tmp_path: Path) -> None:
    """A store written with redaction off: one rescan, and text, quotes, metadata and summaries are clean, bytes too."""
    secrets = dict(list(planted().items())[:12])
    path = tmp_path / "memory.db"
    careless = Settings(redaction=("secret=allow", "pii=allow"), extractor="none")
    with Memory.open(path, embedder=NoEmbedder(), background=False, settings=careless) as memory:
        mine = memory.scope(user_id="alice")
        for kind, secret in secrets.items():
            mine.record([{"content": f"my {kind} is {secret}", "metadata": {"v": secret}}], session_id=f"s-{kind}")
            mine.remember(f"Uses {secret} for {kind}")
        memory.process()
    assert found_in(bytes_of(tmp_path), secrets) == list(secrets)
    with Memory.open(path, embedder=NoEmbedder(), background=False) as memory:
        report = memory.rescan()
        memory.process()
        assert report.rewritten == 2 * len(secrets)
        assert memory.doctor().problems == ()
        found = memory.scope(user_id="alice").recall("which key does she use?", k=50)
        assert all("[REDACTED:" in hit.text for hit in found)
    assert found_in(bytes_of(tmp_path), secrets) == []


def test_case_31_a_policy_lets_a_kind_through_and_only_that(tmp_path: Path) -> None:
    """An e-mail address is kept where the operator says so; a password is not."""
    settings = Settings(redaction=("email=allow",))
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False, settings=settings) as memory:
        mine = memory.scope(user_id="alice")
        mine.remember("Mail goes to ann@example.org and my password is QuietHarbor5527")
        text = mine.list().items[0].text
    assert "ann@example.org" in text
    assert "QuietHarbor5527" not in text


def test_a_failed_job_keeps_no_secret_in_its_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An error that quotes what it failed on is cleaned before it is kept or logged."""
    secret = planted()["openai"]

    class Broken(NoEmbedder):
        def embed(self, *_: object, **__: object) -> None:  # type: ignore[override]  it never answers
            message = f"cannot embed: {secret}"
            raise ValueError(message)

    with Memory.open(tmp_path / "m.db", embedder=Broken(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
        report = memory.process()
        assert report.retried == 1
        assert secret not in str(report.errors)
    connection = apsw.Connection(str(tmp_path / "m.db"))
    assert secret not in str(connection.execute("SELECT error FROM job").fetchall())
    connection.close()
    assert secret not in caplog.text
