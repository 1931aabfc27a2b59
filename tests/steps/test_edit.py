"""A person edits a user's profile and facts as one text: what they changed is applied, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import DocumentError, InvalidInput
from retentive.types import SUMMARY, Fact, Rewrite


@pytest.fixture
def filled(mine: ScopedMemory) -> ScopedMemory:
    mine.update_profile({"name": "Alice", "location": "Porto"})
    mine.remember("Prefers tea", category="preference")
    mine.remember("Has a cat named Miso", category="relationship")
    return mine


def facts(mine: ScopedMemory) -> set[tuple[str | None, str]]:
    return {(item.field or item.category, item.text) for item in mine.list("semantic")}


def test_a_document_nobody_edits_changes_nothing(filled: ScopedMemory) -> None:
    before = facts(filled)
    report = filled.apply_document(filled.document())
    assert not report.changed
    assert facts(filled) == before


def test_each_edit_does_what_it_says(memory: Memory, filled: ScopedMemory) -> None:
    text = filled.document()
    cat = next(line for line in text.splitlines() if "Miso" in line)
    text = text.replace("Prefers tea", "Prefers coffee").replace("name: Alice", "name: Alicia").replace(cat + "\n", "")
    text = text.replace("## Decision\n", "## Decision\n- The launch is on Friday\n")
    report = memory.scope(user_id="alice", actor="alice-at-the-desk").apply_document(text)
    assert facts(filled) == {
        ("name", "name: Alicia"),
        ("location", "location: Porto"),
        ("preference", "Prefers coffee"),
        ("decision", "The launch is on Friday"),
    }
    assert (len(report.corrected), len(report.removed), len(report.added), report.clashes) == (2, 1, 1, ())
    assert [item.text for item in filled.history(report.corrected[1])] == ["Prefers tea", "Prefers coffee"]
    removed = filled.list("semantic", status="rejected").items
    assert [(item.text, item.reason) for item in removed] == [("Has a cat named Miso", "removed by hand")]
    assert len(memory.audit(actor="alice-at-the-desk")) > 0


def test_a_line_under_another_heading_is_of_another_category(filled: ScopedMemory) -> None:
    text = filled.document()
    tea = next(line for line in text.splitlines() if "Prefers tea" in line)
    text = text.replace(tea + "\n", "").replace("## Constraint\n", f"## Constraint\n{tea}\n")
    assert len(filled.apply_document(text).corrected) == 1
    assert ("constraint", "Prefers tea") in facts(filled)


def test_a_corrected_fact_is_the_persons_own_word(mine: ScopedMemory) -> None:
    mine.remember("Likes green tea", source="web")
    mine.apply_document(mine.document().replace("green", "black"))
    assert [(item.text, item.trust, item.source) for item in mine.list("semantic")] == [
        ("Likes black tea", "user", "user")
    ]


def test_two_lines_made_the_same_become_one_fact(filled: ScopedMemory) -> None:
    report = filled.apply_document(filled.document().replace("Prefers tea", "Has a cat named Miso"))
    assert len(report.corrected) == 1
    (cat,) = [item for item in filled.list("semantic") if "Miso" in item.text]
    assert cat.id == report.corrected[0]


def test_a_corrected_line_takes_the_place_of_what_it_contradicts(mine: ScopedMemory) -> None:
    mine.remember("I live in Bergen", category="identity")
    mine.remember("My gym is FlexHouse")
    mine.apply_document(mine.document().replace("My gym is FlexHouse", "I live in Oslo"))
    assert [item.text for item in mine.list("semantic")] == ["I live in Oslo"]
    (old,) = mine.list("semantic", status="superseded", where={"category": "identity"})
    assert (old.text, old.status) == ("I live in Bergen", "superseded")


def test_two_lines_corrected_against_each_other_both_stand_disputed(mine: ScopedMemory) -> None:
    mine.remember("I like rain")
    mine.remember("My gym is FlexHouse")
    text = mine.document().replace("My gym is FlexHouse", "I live in Oslo").replace("I like rain", "I live in Bergen")
    mine.apply_document(text)
    assert {item.text: item.status for item in mine.list("semantic")} == {
        "I live in Oslo": "disputed",
        "I live in Bergen": "disputed",
    }


def test_a_line_moved_to_another_heading_touches_no_other(mine: ScopedMemory) -> None:
    mine.remember("My gym is FlexHouse")
    other = mine.remember("My gym is Ironworks").ids[0]
    before = mine.get(other).version
    text = mine.document()
    line = next(line for line in text.splitlines() if "FlexHouse" in line)
    mine.apply_document(text.replace(line + "\n", "").replace("## Preference", f"## Preference\n{line}"))
    assert mine.get(other).version == before
    assert len(mine.list("semantic")) == 2


def test_what_was_added_meanwhile_is_not_taken_for_removed(filled: ScopedMemory) -> None:
    text = filled.document()
    filled.remember("Plays the oud")
    assert not filled.apply_document(text).changed
    assert ("other", "Plays the oud") in facts(filled)


def test_two_changes_of_one_fact_stand_side_by_side(filled: ScopedMemory) -> None:
    text = filled.document()
    tea = next(item for item in filled.list("semantic") if item.text == "Prefers tea")
    filled.update(tea.id, text="Prefers milk")
    report = filled.apply_document(text.replace("Prefers tea", "Prefers coffee"))
    assert [reason for _, reason in report.clashes] == ["was changed since: both are kept"]
    both = {item.text: item.status for item in filled.list("semantic") if item.category == "preference"}
    assert both == {"Prefers milk": "disputed", "Prefers coffee": "disputed"}


def test_a_removal_of_what_changed_meanwhile_keeps_the_change(filled: ScopedMemory) -> None:
    text = filled.document()
    tea = next(item for item in filled.list("semantic") if item.text == "Prefers tea")
    filled.update(tea.id, text="Prefers milk")
    line = next(line for line in text.splitlines() if "Prefers tea" in line)
    report = filled.apply_document(text.replace(line + "\n", ""))
    assert [reason for _, reason in report.clashes] == ["was changed since: the change is kept"]
    assert ("preference", "Prefers milk") in facts(filled)


def test_what_was_forgotten_meanwhile_does_not_come_back(filled: ScopedMemory) -> None:
    text = filled.document()
    tea = next(item for item in filled.list("semantic") if item.text == "Prefers tea")
    filled.forget(tea.id)
    report = filled.apply_document(text.replace("Prefers tea", "Prefers tea very much"))
    assert [one for one, _ in report.clashes] == [tea.id]
    assert not any("tea" in text for _, text in facts(filled))


def test_what_is_of_another_agent_is_neither_shown_nor_removed(memory: Memory, filled: ScopedMemory) -> None:
    memory.scope(user_id="alice", agent_id="bot").remember("Wants short answers")
    other = memory.scope(user_id="alice", agent_id="clerk")
    text = other.document()
    assert "short answers" not in text
    other.apply_document("\n".join(line for line in text.splitlines() if "tea" not in line))
    assert {text for _, text in facts(filled)} == {
        "name: Alice",
        "location: Porto",
        "Has a cat named Miso",
        "Wants short answers",
    }


def test_a_secret_typed_into_the_document_is_not_stored(mine: ScopedMemory) -> None:
    mine.apply_document(mine.document().replace("## Other\n", "## Other\n- Write to ann@example.org\n"))
    assert {text for _, text in facts(mine)} == {"Write to [REDACTED:email]"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("- name: Alice", "- nickname: Ali", "unknown profile field"),
        ("- name: Alice", "- name: " + "A" * 300, "characters"),
        ("## Event", "## Hobbies", "no heading is called"),
        ("- Prefers tea", "Prefers tea", "begin what"),
    ],
)
def test_what_cannot_be_applied_changes_nothing(filled: ScopedMemory, old: str, new: str, says: str) -> None:
    before = facts(filled)
    text = filled.document().replace("Has a cat", "Has a dog").replace(old, new)
    with pytest.raises(InvalidInput, match=says):
        filled.apply_document(text)
    assert facts(filled) == before


def test_the_document_of_one_user_is_not_applied_to_another(memory: Memory, filled: ScopedMemory) -> None:
    with pytest.raises(DocumentError, match="another user"):
        memory.scope(user_id="bob").apply_document(filled.document())


def test_what_jobs_wrote_themselves_is_not_part_of_it(mine: ScopedMemory) -> None:
    """A document leaves out summaries, and does not take them for lines that somebody removed."""
    mine.remember("Talked about invoices")
    (fact,) = mine._store.get(mine.scope.partition, [mine.list().items[0].id]).values()  # noqa: SLF001
    assert isinstance(fact, Fact)
    with mine._store.transaction(mine.scope.partition) as transaction:  # noqa: SLF001
        transaction.apply([Rewrite(replace(fact, category=SUMMARY))])
    text = mine.document()
    assert "invoices" not in text
    assert not mine.apply_document(text).changed
    assert mine.apply_document(text.replace("## Other\n", "## Other\n- Plays the oud\n")).removed == ()
