"""CASES 4 to 7 and 10: one fact is one row, and the newest statement wins."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from retentive import Memory, ScopedMemory
from retentive.models.embed_none import NoEmbedder
from retentive.results import Item


def everything(mine: ScopedMemory) -> list[Item]:
    """All facts of the scope in any state."""
    return list(mine.list("semantic", status=None, limit=10_000))


def current_texts(mine: ScopedMemory) -> list[str]:
    return [item.text for item in mine.list("semantic")]


def exported_by_another(folder: Path, text: str) -> Path:
    """An export that holds this fact, written by a store that never met ours."""
    with Memory.open(folder / "other.db", embedder=NoEmbedder(), background=False) as memory:
        theirs = memory.scope(user_id="alice")
        theirs.remember(text)
        theirs.export(folder / "other.jsonl")
    return folder / "other.jsonl"


# -- 4: the same fact by every path is one row -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Prefers aisle seats", "Prefers aisle seats"),
        ("Prefers aisle seats", "  prefers AISLE seats. "),
        ("Trinkt keinen Kaffee", "trinkt  keinen Kaffee"),
        ("喜欢喝乌龙茶。", "喜欢喝乌龙茶"),
        ("Предпочитает поезд самолёту", "предпочитает поезд самолёту."),
        ("يفضل المقعد الأمامي", "يفضل المقعد الأمامي"),
        ("Café au lait, sans sucre", "Cafe\u0301 au lait, sans sucre"),
    ],
)
def test_case_04_said_twice_is_one_row(mine: ScopedMemory, first: str, again: str) -> None:
    stored = mine.remember(first)
    repeated = mine.remember(again)
    assert [item.outcome for item in (*stored.items, *repeated.items)] == ["stored", "duplicate"]
    assert repeated.ids == stored.ids
    assert [(item.text, item.seen_count) for item in everything(mine)] == [(first.strip(), 2)]


@pytest.mark.parametrize(
    ("field", "value"), [("timezone", "GMT+8"), ("language", "日本語"), ("name", "Zoë O'Brien"), ("diet", "no nuts")]
)
def test_case_04_a_profile_field_by_both_ways_is_one_row(mine: ScopedMemory, field: str, value: str) -> None:
    ids = mine.update_profile({field: value}).ids
    ids += mine.update_profile({field: value}).ids
    ids += mine.remember(value, field=field).ids
    assert len(set(ids)) == 1
    assert mine.profile() == {field: value}
    assert [item.seen_count for item in everything(mine)] == [3]


@pytest.mark.parametrize("text", ["Prefers aisle seats", "喜欢靠窗的座位", "Mag keine Oliven"])
def test_case_04_import_of_a_known_fact_is_one_row(mine: ScopedMemory, tmp_path: Path, text: str) -> None:
    ours = mine.remember(text)
    theirs = exported_by_another(tmp_path, text)
    receipt = mine.import_(theirs)
    assert [(item.outcome, item.id) for item in receipt.items] == [("duplicate", ours.ids[0])]
    assert [(item.text, item.seen_count) for item in everything(mine)] == [(text, 2)]


def test_case_04_import_twice_is_one_row(mine: ScopedMemory, tmp_path: Path) -> None:
    theirs = exported_by_another(tmp_path, "Prefers aisle seats")
    first, second = mine.import_(theirs), mine.import_(theirs)
    assert first.items[0].outcome == "stored"
    assert second.items[0].outcome == "duplicate"
    assert first.ids == second.ids
    assert len(everything(mine)) == 1


def test_case_04_a_message_sent_again_in_its_session_is_one_row(mine: ScopedMemory) -> None:
    with mine.session("s1") as chat:
        first = chat.add("user", "Please book the early train.", id="msg-1")
        again = chat.add("user", "Please book the early train.", id="msg-1")
        assert len(chat.messages) == 1
    by_record = mine.record(
        [{"role": "user", "content": "Please book the early train.", "id": "msg-1"}] * 2, session_id="s1"
    )
    assert again.ids == first.ids
    assert by_record.ids == first.ids * 2
    assert {item.outcome for item in (*again.items, *by_record.items)} == {"duplicate"}
    assert len(mine.list("episodic")) == 1


def at_once(number: int, call: Callable[[], object]) -> None:
    """Run a call in many threads that all start together."""
    gate = threading.Barrier(number)
    failures: list[Exception] = []

    def run() -> None:
        gate.wait()
        try:
            call()
        except Exception as error:  # noqa: BLE001  whatever it is, it fails the test below
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("text", ["Prefers aisle seats", "早上喝咖啡"])
def test_case_04_fifty_at_once_are_one_row(memory: Memory, text: str) -> None:
    at_once(50, lambda: memory.scope(user_id="alice").remember(text))
    assert [(item.text, item.seen_count) for item in everything(memory.scope(user_id="alice"))] == [(text, 50)]


def test_case_04_fifty_at_once_with_one_key_are_one_row(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    at_once(50, lambda: mine.remember("Order 17 was refunded", idempotency_key="refund-17"))
    assert len(everything(mine)) == 1


def test_case_04_what_is_true_for_one_project_is_not_the_same_for_another(memory: Memory) -> None:
    one = memory.scope(user_id="alice", project_id="blog").remember("Write in British English")
    two = memory.scope(user_id="alice", project_id="shop").remember("Write in British English")
    assert one.ids != two.ids
    assert [item.outcome for item in (*one.items, *two.items)] == ["stored", "stored"]


# -- 5: saying it again never deletes it -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text", ["Allergic to peanuts", "对花生过敏", "Est allergique aux arachides", "ORD-2024-7 is late"]
)
@pytest.mark.parametrize("options", [{}, {"evergreen": True}, {"category": "constraint", "metadata": {"by": "form"}}])
def test_case_05_three_times_is_one_row_with_one_id(mine: ScopedMemory, text: str, options: dict[str, object]) -> None:
    ids = [mine.remember(text, **options).ids for _ in range(3)]  # type: ignore[arg-type]
    assert ids == [ids[0]] * 3
    assert [(item.id, item.text, item.status) for item in mine.list("semantic")] == [(ids[0][0], text, "active")]
    assert [hit.id for hit in mine.recall(text)] == ids[0]


def test_case_05_more_said_of_it_changes_the_row_and_keeps_the_id(mine: ScopedMemory) -> None:
    first = mine.remember("Allergic to peanuts")
    again = mine.remember("Allergic to peanuts", evergreen=True, category="constraint")
    assert again.ids == first.ids
    item = mine.get(first.ids[0])
    assert (item.evergreen, item.category, item.version) == (True, "constraint", 2)
    assert len(mine.list("semantic")) == 1


# -- 6: the latest truth ---------------------------------------------------------------------------------------------
CHANGES = [
    ("My favourite player is Ronaldo", "My favourite player is Messi", "Who is my favourite player?"),
    ("My favourite editor is Vim", "My favourite editor is Helix", "favourite editor"),
    ("I live in Munich", "I live in Hamburg now", "Where do I live?"),
    ("I work at Siemens", "I now work at Bosch", "Where do I work?"),
    ("我最喜欢的球员是罗纳尔多", "我最喜欢的球员是梅西", "我最喜欢的球员是谁?"),
    ("Meine Lieblingsfarbe ist Blau", "Meine Lieblingsfarbe ist Grün", "Lieblingsfarbe"),
]


@pytest.fixture(scope="module")
def with_meaning(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Memory, ScopedMemory]]:
    """A store with the embedder that comes with the install, for a user."""
    memory = Memory.open(tmp_path_factory.mktemp("store") / "memory.db", background=False)
    return lambda user: (memory, memory.scope(user_id=user))


@pytest.mark.parametrize(("old", "new", "question"), CHANGES)
def test_case_06_the_newest_is_on_top_and_the_old_one_is_history(
    with_meaning: Callable[[str], tuple[Memory, ScopedMemory]], old: str, new: str, question: str
) -> None:
    memory, mine = with_meaning(new)
    for other in ("Has two cats", "The invoice of May was paid late", "Learns to play the cello"):
        mine.remember(other)
    before = mine.remember(old)
    after = mine.remember(new)
    memory.process()
    assert after.items[0].outcome == "superseded"
    assert after.items[0].replaced_id == before.ids[0]
    hits = mine.recall(question).hits
    assert hits[0].text == new
    assert old not in [hit.text for hit in hits]
    replaced = mine.get(before.ids[0])
    assert (replaced.status, replaced.superseded_by_id) == ("superseded", after.ids[0])
    assert replaced.reason
    assert [item.text for item in mine.history(after.ids[0])] == [old, new]
    assert [item.text for item in mine.history(before.ids[0])] == [old, new]


# -- 7: love, then hate ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I love cilantro", "I hate cilantro"),
        ("I hate jogging", "I love jogging"),
        ("I like working from home", "I don't like working from home"),
        ("Ich liebe Koriander", "Ich hasse Koriander"),
        ("我喜欢香菜", "我讨厌香菜"),
        ("J'adore la coriandre", "Je déteste la coriandre"),
    ],
)
def test_case_07_exactly_one_current_fact_the_new_one(mine: ScopedMemory, old: str, new: str) -> None:
    mine.remember(old)
    mine.remember(new)
    assert current_texts(mine) == [new]
    assert [item.text for item in mine.list("semantic", status="superseded")] == [old]


def test_case_07_back_and_forth_keeps_every_step(mine: ScopedMemory) -> None:
    steps = ["I love cilantro", "I hate cilantro", "I love cilantro"]
    last = [mine.remember(step).ids[0] for step in steps][-1]
    assert [(item.id, item.text) for item in mine.list("semantic")] == [(last, "I love cilantro")]
    assert [item.text for item in mine.history(last)] == steps


# -- 10: what was replaced is not recalled ---------------------------------------------------------------------------
def leaf_texts(mine: ScopedMemory, query: str) -> str:
    """Everything a prompt could be made of."""
    found = [hit.text for hit in mine.recall(query, k=50)]
    found += [mine.block(query, k=50, budget_tokens=5000).text]
    found += [item.text for item in mine.list()]
    found += list(mine.profile().values())
    return json.dumps(found, ensure_ascii=False)


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("My favourite player is Ronaldo", "My favourite player is Messi", "Ronaldo"),
        ("I live in Munich", "I live in Hamburg", "Munich"),
        ("My favourite tram line is the M10", "My favourite tram line is the M13", "M10"),
        ("我住在北京", "我住在上海", "北京"),
    ],
)
@pytest.mark.parametrize("evergreen", [False, True])
def test_case_10_replaced_is_never_recalled(
    memory: Memory, mine: ScopedMemory, old: str, new: str, gone: str, *, evergreen: bool
) -> None:
    first = mine.remember(old, evergreen=evergreen)
    memory.process()
    mine.remember(new, evergreen=evergreen)
    memory.process()
    assert gone not in leaf_texts(mine, old)
    assert gone not in leaf_texts(mine, gone)
    assert new in leaf_texts(mine, old)
    assert mine.get(first.ids[0]).text == old
    assert gone in json.dumps([item.text for item in mine.history(first.ids[0])], ensure_ascii=False)


@pytest.mark.parametrize(("field", "old", "new"), [("location", "Munich", "Hamburg"), ("tone", "formal", "短く")])
def test_case_10_a_replaced_profile_value_is_gone(mine: ScopedMemory, field: str, old: str, new: str) -> None:
    mine.update_profile({field: old})
    mine.update_profile({field: new})
    assert old not in leaf_texts(mine, f"{field} {old}")
    assert mine.profile() == {field: new}


def test_case_10_an_edited_memory_is_recalled_in_its_new_words_only(mine: ScopedMemory) -> None:
    fact = mine.remember("The standup is at 9:15 in room Turing").ids[0]
    mine.update(fact, text="The standup is at 10:30 in room Hopper")
    assert "Turing" not in leaf_texts(mine, "standup room Turing 9:15")
    assert [item.text[-6:] for item in mine.history(fact)] == ["Turing", "Hopper"]
