"""A document reads back as it was written, and every edit of it is found as just that edit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retentive.document import (
    SECTIONS,
    Added,
    Clash,
    Corrected,
    Document,
    Known,
    Line,
    Removed,
    differences,
    parse,
    parse_json,
    render,
    render_json,
)
from retentive.errors import DocumentError
from retentive.types import CATEGORIES

texts = (
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
    | st.lists(
        st.sampled_from(
            ["a", "\\n", "\\", "\n", "- ", "## x", "<!--", "-->", "<!-- as of 9 for 0", ":1 -->", "\r", "é"]
        ),
        min_size=1,
        max_size=5,
    ).map("".join)
).map(str.strip)
said = texts.filter(bool)


@st.composite
def documents(draw: Any) -> Document:
    ids = [str(one) for one in draw(st.lists(st.uuids(), max_size=6, unique=True))]
    lines = []
    for one in ids:
        section = draw(st.sampled_from(SECTIONS))
        field = draw(st.sampled_from(["name", "time_zone", "T-shirt size"])) if section == "profile" else None
        lines.append(Line(section, draw(said), field, one, draw(st.integers(1, 99))))
    lines.sort(key=lambda line: SECTIONS.index(line.section))
    return Document(draw(st.integers(0, 2**63)), tuple(lines), draw(st.sampled_from(["0", "fe01"])))


def known_of(document: Document) -> dict[str, Known]:
    """A store that holds just what the document shows."""
    return {line.id: Known(line, 0, 0, {line.version: line}) for line in document.lines if line.id}


@given(documents(), texts)
def test_a_document_reads_back_as_it_was_written(document: Document, title: str) -> None:
    assert parse(render(document, title, ["name"])) == document
    assert parse(render(document, title, ["name"]).replace("\n", "\r\n")) == document
    assert parse_json(render_json(document)) == document
    assert differences(document, known_of(document)) == []


@settings(max_examples=200)
@given(documents(), st.data())
def test_every_edit_is_found_as_just_that_edit(document: Document, data: st.DataObject) -> None:
    kept, expected = [], []
    for line in document.lines:
        assert line.id is not None
        deed = data.draw(st.sampled_from(["keep", "remove", "change", "move"]))
        other = replace(line, text=data.draw(said))
        if line.field is None and deed == "move":
            other = replace(line, section=data.draw(st.sampled_from(CATEGORIES)))
        if deed == "remove":
            expected.append(Removed(line.id, line.version))
        elif deed != "keep" and other != line:
            expected.append(Corrected(line.id, line.version, other))
        kept += [] if deed == "remove" else [line if deed == "keep" else other]
    added = [Line("event", text) for text in data.draw(st.lists(said, max_size=2))]
    kept = sorted([*kept, *added], key=lambda line: SECTIONS.index(line.section))
    expected += [Added(line) for line in added]
    edited = replace(document, lines=tuple(kept))
    for read in (parse(render(edited, "x", [])), parse_json(render_json(edited))):
        found = differences(read, known_of(document))
        assert sorted(map(repr, found)) == sorted(map(repr, expected))


OLD, NEW = Line("other", "Likes tea", None, "a", 1), Line("other", "Likes coffee", None, "a", 2)
BOTH = {1: OLD, 2: NEW}


@pytest.mark.parametrize(
    ("lines", "known", "expected"),
    [
        ((OLD,), Known(NEW, 9, 1, BOTH), None),  # somebody else's change stands
        ((NEW,), Known(NEW, 9, 1, BOTH), None),
        ((replace(OLD, text="Likes milk"),), Known(NEW, 9, 1, BOTH), "both are kept"),
        ((), Known(NEW, 9, 1, BOTH), "the change is kept"),
        ((), Known(NEW, 9, 8, BOTH), None),  # it was not there when the document was made
        ((OLD,), Known(None, 0, 1, BOTH), None),
        ((replace(OLD, text="Likes milk"),), Known(None, 0, 1, BOTH), "no longer current"),
        ((), Known(None, 0, 1, BOTH), None),
    ],
)
def test_what_others_did_meanwhile_is_never_undone(lines: tuple[Line, ...], known: Known, expected: str | None) -> None:
    found = differences(Document(5, lines), {"a": known})
    if expected is None:
        assert found == []
    else:
        (clash,) = found
        assert isinstance(clash, Clash)
        assert expected in clash.reason
        assert not clash.gone


def test_what_was_forgotten_does_not_come_back() -> None:
    (clash,) = differences(Document(5, (OLD,)), {})
    assert isinstance(clash, Clash)
    assert clash.gone


def test_into_the_profile_is_out_of_the_facts() -> None:
    moved = Line("profile", "Porto", "location", "a", 1)
    found = differences(Document(5, (moved,)), {"a": Known(OLD, 1, 1, {1: OLD})})
    assert found == [Removed("a", 1), Added(Line("profile", "Porto", "location"))]


UUID = "01a22ac1-0000-7000-8000-000000000001"
HEAD = "# x\n<!-- as of 5 for 0\nhelp\n-->\n"
END = "\n<!-- end -->\n"
UNREADABLE = {
    "no head": ("## Event\n- a", "as of"),
    "no bullet": (HEAD + "## Event\nMoved to Porto", "line 6: begin what"),
    "an unknown heading": (HEAD + "## Hobbies\n- a", "line 5: no heading"),
    "before a heading": (HEAD + "- a", "line 5: it stands before"),
    "no field": (HEAD + "## Profile\n- Porto", "line 6: a line of the profile"),
    "a mark twice": (HEAD + f"## Event\n- a <!-- {UUID}:1 -->\n- b <!-- {UUID}:1 -->", "two lines carry"),
}


@pytest.mark.parametrize(("text", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_says_where(text: str, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        parse(text + END)


def test_what_was_cut_off_is_not_taken_for_removed() -> None:
    whole = render(Document(5, (replace(OLD, id=UUID),)), "x", [])
    for length in range(len(whole) - 1):
        with pytest.raises(DocumentError):
            parse(whole[:length])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "x"}', render_json(Document(1, (OLD,)))[:-4]])
def test_json_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(DocumentError):
        parse_json(text)


def test_what_a_person_types_is_taken_as_it_is() -> None:
    text = HEAD + "## Event\n*  Moved to C:\\data in\\d  \n-\n-   \n## Open thread\n- [ ] call\n"
    assert parse(text + END).lines == (Line("event", "Moved to C:\\data in\\d"), Line("open_thread", "[ ] call"))
