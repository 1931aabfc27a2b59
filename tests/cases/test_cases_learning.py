"""Cases 1, 2, 8, 9, 24: what is learnt is neither junk nor invented, and change is told from addition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from retentive import Memory, Settings
from retentive.contracts import Candidate, Extraction, Extractor
from retentive.errors import ModelBadReply
from retentive.scoped import ScopedMemory
from retentive.types import Episode
from stubs import StubEmbedder

SYSTEM = "You are Nova, a helpful assistant. You live in the cloud. You prefer short answers. Your owner is Initech."
BOOT = ["System booted", "heartbeat ok", "HEARTBEAT_OK", "Session started", "ping"]
SAID = ["I moved to Ghent in spring.", "My sister is called Ottilie.", "I'm allergic to walnuts."]


def test_case_01_two_hundred_turns_bring_what_was_said_and_nothing_else(memory: Memory, mine: ScopedMemory) -> None:
    messages = []
    for turn in range(200):
        messages.append({"role": "system", "content": SYSTEM})
        messages.append({"role": "user", "content": SAID[turn // 70] if turn % 70 == 5 else BOOT[turn % len(BOOT)]})
        messages.append({"role": "assistant", "content": "Noted. You prefer long answers."})
    for start in range(0, len(messages), 60):
        mine.record(messages[start : start + 60], session_id="s")
    mine.end_session("s")
    memory.process()
    facts = [item.text for item in mine.list("semantic", status=None, limit=1000)]
    assert len(facts) == len(SAID)
    for word in ("Ghent", "Ottilie", "walnuts"):
        assert any(word in fact for fact in facts)


class Invents(Extractor):
    """Says what nobody said: no quote, a quote of another text, an episode that is not there."""

    version = "invents-1"

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        real = episodes[0]
        return Extraction(
            (
                Candidate("The user knows Tim Zappa.", real.id, "I know Tim Zappa."),
                Candidate("The user knows Tim.", real.id, ""),
                Candidate("The user knows Zappa.", "01a22a21-0000-7000-8000-000000000000", real.text),
                Candidate("The user grows beans.", real.id, "I grow beans"),
            )
        )


def test_case_02_a_fact_without_its_words_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retentive.plugins.make_extractors", lambda *_: lambda _account: Invents())
    with Memory.open(tmp_path / "m.db", embedder=StubEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        mine.record([{"role": "user", "content": "These days I grow beans and little else."}])
        memory.process()
        assert [item.text for item in mine.list("semantic", status=None)] == ["The user grows beans."]


@pytest.mark.parametrize(
    "both",
    [
        ("Dana is CTO", "Dana owns the billing repository"),
        ("Project Atlas uses Postgres", "Project Borealis uses MySQL"),
        ("I like tea", "I also like coffee"),
        ("Mein Bruder wohnt in Köln", "Meine Schwester wohnt in Bonn"),
        ("At work I prefer tea", "At home I prefer coffee"),
        ("Anna works at Acme", "Ben works at Globex"),
    ],
)
def test_case_08_two_things_that_are_both_true_both_stand(mine: ScopedMemory, both: tuple[str, str]) -> None:
    for text in both:
        mine.remember(text)
    assert {item.text: item.status for item in mine.list("semantic", status=None)} == dict.fromkeys(both, "active")


CHANGES = [
    ("I live in Berlin", "I live in Munich now"),
    ("I live in Oslo", "I moved to Bergen"),
    ("I work at Acme", "I now work at Globex"),
    ("My favourite colour is red", "My favourite colour is green"),
    ("My favorite band is Blur", "My favorite band is Pulp"),
    ("I love olives", "I hate olives"),
    ("My phone model is a Pixel 7", "My phone model is a Pixel 9"),
    ("My name is Sam", "My name is Samantha"),
    ("My wife is called Ana", "Correction: my wife is called Anna"),
    ("The stand-up is on Monday", "Actually the stand-up is on Tuesday, not Monday"),
    ("Answer me in English", "From now on answer me in French"),
    ("My timezone is GMT+1", "My timezone is GMT+2"),
    ("My birthday is 3 May", "Actually my birthday is 5 May"),
    ("My manager is Priya", "My manager is Tomas now"),
    ("I drive a Fiat", "I no longer drive a Fiat"),
    ("Ich wohne in Köln", "Ich wohne jetzt in Bonn"),
    ("Meine Lieblingsfarbe ist Blau", "Meine Lieblingsfarbe ist Gelb"),
    ("Ich arbeite bei Siemens", "Ich arbeite jetzt bei Bosch"),
    ("Ich liebe Jazz", "Ich hasse Jazz"),
    ("Vivo en Madrid", "Ahora vivo en Sevilla"),
    ("Mi color favorito es el rojo", "Mi color favorito es el verde"),
    ("Me encanta el café", "Odio el café"),
    ("J'habite à Lyon", "J'habite maintenant à Nantes"),
    ("Ma couleur préférée est le bleu", "Ma couleur préférée est le vert"),
    ("Je travaille chez Renault", "Je travaille maintenant chez Peugeot"),
    ("我住在北京", "我现在住在上海"),
    ("我最喜欢的颜色是红色", "我最喜欢的颜色是蓝色"),
    ("我喜欢咖啡", "我不喜欢咖啡了"),
    ("我在华为工作", "我现在在腾讯工作"),
    ("My dentist is Dr. Weber", "My new dentist is Dr. Klein"),
]


def test_case_09_thirty_changes_need_no_judge(memory: Memory) -> None:
    """No model is asked whether something changed: nine of ten are right by rules, the rest show both or a doubt."""
    right = 0
    for number, (old, new) in enumerate(CHANGES):
        mine = memory.scope(user_id=f"u{number}")
        mine.remember(old)
        mine.remember(new)
        status = {item.text: item.status for item in mine.list("semantic", status=None)}
        assert status[new] in {"active", "disputed"}, new
        right += status[old] == "superseded" and status[new] == "active"
    assert len(CHANGES) == 30
    assert right >= 27


class Fails(Extractor):
    """A model that never answers as it should."""

    version = "fails-1"

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        message = f"{len(episodes)} messages came back as prose"
        raise ModelBadReply(message)


def test_case_24_a_hundred_bad_replies_take_nothing_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts and messages are all there, and each failure has its reason: nothing is called done that was not."""
    monkeypatch.setattr("retentive.plugins.make_extractors", lambda *_: lambda _account: Fails())
    settings = Settings(durable=False)
    with Memory.open(tmp_path / "m.db", embedder=StubEmbedder(), settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        for number in range(20):
            mine.remember(f"Keeps bee hive {number} in the orchard")
        for number in range(100):
            mine.record([{"role": "user", "content": f"I counted {number} bees"}], session_id=f"s{number}")
            mine.end_session(f"s{number}")
        report = memory.process()
        assert report.retried == 100
        assert len(report.errors) == 100
        assert all("ModelBadReply" in error for error in report.errors)
        assert len(mine.list("semantic", limit=1000)) == 20
        assert len(mine.list("episodic", limit=1000)) == 100


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("My favourite singer is Adele.", "My favourite singer is Rosalia.", "who is my favourite singer?"),
        ("My manager is Olaf.", "My manager is Ute now.", "who is my manager?"),
        ("I love olives", "I hate olives", "do I like olives?"),
        ("I am vegan.", "I am not vegan anymore.", "am I vegan?"),
        ("Ich wohne in Porto", "Ich wohne jetzt in Leeds", "wo wohne ich?"),
    ],
)
def test_case_06_a_message_that_is_no_longer_true_yields_and_says_so(
    memory: Memory, mine: ScopedMemory, old: str, new: str, question: str
) -> None:
    """Said in conversation, in two sessions: the newest comes first, and the block marks the other."""
    for number, text in enumerate((old, new)):
        mine.record([{"role": "user", "content": text}], session_id=f"s{number}")
        mine.end_session(f"s{number}")
        memory.process()
    texts = [hit.text for hit in mine.recall(question, tiers=["episodic"], k=5)]
    if old in texts:
        assert texts.index(new) < texts.index(old)
    shown = mine.block(question).text
    assert all("no longer true" in line for line in shown.split("\n") if line.endswith(f"] {old}") and " user" in line)
