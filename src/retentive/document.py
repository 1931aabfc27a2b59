"""A user's profile and facts as one text that a person may edit, and what the edits ask for. Pure: no store, no clock.

    render -> the person edits -> parse -> differences: corrected | removed | added | clash

Each line carries the id and version it shows, and the document the row it was made at, so that what was changed,
removed or forgotten by others in the meantime is told from what the person did. `parse(render(document))` is the
document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from retentive.echo import echo
from retentive.errors import DocumentError
from retentive.types import CATEGORIES
from retentive.wording import kind_of

PROFILE = "profile"
SECTIONS = (PROFILE, *CATEGORIES)
_BY_TITLE = {section.replace("_", " "): section for section in SECTIONS}
_MARK = re.compile(r"(?P<text>.*?)\s*<!-- (?P<id>[0-9a-f-]{36}):(?P<version>\d{1,9}) -->\s*", re.DOTALL)
_AS_OF = re.compile(r"^<!-- as of ([0-9a-f]{1,16}) for ([0-9a-f]{1,64})(?: written [0-9a-f]*)?\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^<!--.*?-->[ \t]*$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"(?P<field>[^\s:][^:]{0,62}?)\s*:\s*(?P<text>.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\([\\nr])")
_PLAIN = {"n": "\n", "r": "\r", "\\": "\\"}
#: Without it the file was cut off, and what is missing was not removed by anybody.
_END = "<!-- end -->"
_HEADER = """<!-- as of {as_of:x} for {whose}{seal}
Change a line to correct it. Add a line, beginning with "- ", to have it remembered. Move a line to another heading to
change its category. Remove a line that is not right: it is no longer believed and stays in the history with its
reason; `retentive forget ID` erases. Leave the mark at the end of a line as it is. In the profile: field: value, of
{fields}.
-->"""


@dataclass(frozen=True, slots=True)
class Line:
    """One fact as the document shows it; without an id one that a person added.

    section: `profile` or the category. field: of a profile line, whose `text` is the value alone.
    """

    section: str
    text: str
    field: str | None = None
    id: str | None = None
    version: int = 0

    @property
    def says(self) -> tuple[str, str, str | None]:
        """What a person can change of it."""
        return self.section, self.text, self.field


@dataclass(frozen=True, slots=True)
class Document:
    """What was shown, or what came of it.

    as_of: the last row when it was made; what came later was not shown. whose: a mark of the scope, so that one user's
    document is not taken for another's.
    """

    as_of: int
    lines: tuple[Line, ...]
    whose: str = "0"


@dataclass(frozen=True, slots=True)
class Known:
    """A fact as the store has it now: its current version, if there is one, and the versions there were.

    row: of the current version. first_row: of the first.
    """

    now: Line | None
    row: int = 0
    first_row: int = 0
    then: Mapping[int, Line] = field(default_factory=dict)


# -- what the edits ask for --------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Corrected:
    """Put this in the place of the version shown."""

    id: str
    version: int
    line: Line


@dataclass(frozen=True, slots=True)
class Removed:
    """Believe this version no longer."""

    id: str
    version: int


@dataclass(frozen=True, slots=True)
class Added:
    """Remember this."""

    line: Line


@dataclass(frozen=True, slots=True)
class Clash:
    """The person and somebody else changed the same fact. `line` is what the person wrote, None for a removal.

    gone: it was forgotten, so nothing of it may come back; otherwise both are kept.
    """

    id: str
    line: Line | None
    gone: bool
    reason: str


Edit = Corrected | Removed | Added | Clash


def differences(document: Document, known: Mapping[str, Known]) -> list[Edit]:
    """What an edited document asks for, given everything that is current and every fact that the document names.

    >>> known = {"a": Known(Line("other", "Likes tea", id="a", version=1), row=1, first_row=1)}
    >>> differences(Document(1, (Line("other", "Likes coffee", id="a", version=1),)), known)[0].line.text
    'Likes coffee'
    """
    edits: list[Edit] = []
    named = {line.id for line in document.lines if line.text}
    for line in document.lines:
        if line.text:
            edits += [Added(line)] if line.id is None else _of_line(line, line.id, known.get(line.id))
    for fact_id, fact in known.items():
        if fact.now is not None and fact_id not in named and fact.first_row <= document.as_of:
            if fact.row <= document.as_of:
                edits.append(Removed(fact_id, fact.now.version))
            else:
                edits.append(Clash(fact_id, None, gone=False, reason="was changed since: the change is kept"))
    return edits


def _of_line(line: Line, fact_id: str, fact: Known | None) -> Iterator[Edit]:
    if fact is None:  # whether the person changed it is not known any more, and must not be
        yield Clash(fact_id, line, gone=True, reason="was forgotten since: it does not come back")
        return
    shown = fact.then.get(line.version)
    if line.says in {one.says for one in (shown, fact.now) if one is not None}:
        return
    if fact.now is None:
        yield Clash(fact_id, line, gone=False, reason="is no longer current: yours was remembered anew")
    elif fact.now.version != line.version:
        yield Clash(fact_id, line, gone=False, reason="was changed since: both are kept")
    elif fact.now.field != line.field:  # into the profile or out of it
        yield from (Removed(fact_id, line.version), Added(replace(line, id=None, version=0)))
    else:
        yield Corrected(fact_id, line.version, line)


# -- as Markdown -------------------------------------------------------------------------------------------------------
def render(document: Document, title: str, fields: Sequence[str], seal: str | None = None) -> str:
    """The document as Markdown: a heading for each section, a list item for each line, its mark in a comment.

    seal: what is to stand behind `written` in the head, where a mirror keeps its hash.
    """
    written = "" if seal is None else f" written {seal}"
    head = _HEADER.format(as_of=document.as_of, whose=document.whose, seal=written, fields=", ".join(fields))
    parts = [f"# {_escaped(title)}", "", head]
    for section in SECTIONS:
        parts += ["", f"## {section.replace('_', ' ').capitalize()}"]
        parts += [_rendered(line) for line in document.lines if line.section == section]
    return "\n".join([*parts, "", _END]) + "\n"


def _rendered(line: Line) -> str:
    said = line.text if line.field is None else f"{line.field}: {line.text}"
    mark = "" if line.id is None else f" <!-- {line.id}:{line.version} -->"
    return f"- {_escaped(said)}{mark}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def parse(text: str) -> Document:
    """The document that an edited text is. Raises DocumentError that names the line it cannot read."""
    if not isinstance(text, str):
        message = f"a document is text, not {kind_of(text)}"
        raise DocumentError(message)
    text = text.replace("\r\n", "\n")  # what a Windows editor makes of it; a \r of a memory's own is escaped
    as_of = _AS_OF.search(text)
    if as_of is None:
        message = "the comment that begins with `<!-- as of` is missing: put it back as it was"
        raise DocumentError(message)
    if not text.rstrip().endswith(_END):
        message = f"the last line, `{_END}`, is missing: the text was cut off, or put it back as it was"
        raise DocumentError(message)
    blanked = _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    lines: list[Line] = []
    section: str | None = None
    for number, raw in enumerate(blanked.split("\n"), 1):
        written = raw.strip()
        if written.startswith("##"):
            section = _section(number, written)
        elif written.startswith(("- ", "* ")) or written in {"-", "*"}:
            lines.append(_parsed(number, section, written[1:].strip()))
        elif written and not written.startswith("#"):
            message = f"line {number}: begin what is to be remembered with `- ` ({echo(written)})"
            raise DocumentError(message)
    written_lines = tuple(line for line in lines if line.text or line.id)
    return _without_twice(Document(int(as_of.group(1), 16), written_lines, as_of.group(2)))


def _section(number: int, heading: str) -> str:
    title = heading.lstrip("#").strip().lower()
    if title not in _BY_TITLE:
        message = f"line {number}: no heading is called {echo(title)}: use one of {', '.join(_BY_TITLE)}"
        raise DocumentError(message)
    return _BY_TITLE[title]


def _parsed(number: int, section: str | None, written: str) -> Line:
    if section is None:
        message = f"line {number}: it stands before the first heading: move it below one"
        raise DocumentError(message)
    mark = _MARK.fullmatch(written)
    said = _ESCAPE.sub(lambda found: _PLAIN[found.group(1)], written if mark is None else mark["text"]).strip()
    known: dict[str, Any] = {} if mark is None else {"id": mark["id"], "version": int(mark["version"])}
    if section != PROFILE:
        return Line(section, said, **known)
    value = _FIELD.fullmatch(said)
    if said and value is None:
        message = f"line {number}: a line of the profile is `field: value` ({echo(said)})"
        raise DocumentError(message)
    return Line(section, value["text"] if value else "", value["field"] if value else None, **known)


def _without_twice(document: Document) -> Document:
    seen: set[str] = set()
    for line in document.lines:
        if line.id is not None and line.id in seen:
            message = f"two lines carry the mark of {line.id}: take it off the one that is new ({echo(line.text)})"
            raise DocumentError(message)
        seen |= {line.id} if line.id else set()
    return document


# -- as JSON -----------------------------------------------------------------------------------------------------------
_FORMAT = "retentive-memory"


def render_json(document: Document, seal: str | None = None) -> str:
    """The document as JSON: `profile` and `facts` are lists of objects; one without an id is new."""
    profile = [_object(line) for line in document.lines if line.section == PROFILE]
    facts = [_object(line) for line in document.lines if line.section != PROFILE]
    head = {"format": _FORMAT, "as_of": f"{document.as_of:x}", "whose": document.whose}
    head |= {} if seal is None else {"written": seal}
    return json.dumps(head | {"profile": profile, "facts": facts}, ensure_ascii=False, indent=2) + "\n"


def _object(line: Line) -> dict[str, Any]:
    known: dict[str, Any] = {"id": line.id, "version": line.version} if line.id else {}
    place = {"category": line.section} if line.field is None else {"field": line.field}
    return known | place | {"text": line.text}


def parse_json(text: str) -> Document:
    """The document that an edited JSON text is. Raises DocumentError that says what is wrong."""
    try:
        whole = json.loads(text)
        if whole["format"] != _FORMAT:
            message = f"`format` must stay {_FORMAT}"
            raise DocumentError(message)
        lines = [_line(one, PROFILE) for one in whole["profile"]] + [_line(one, None) for one in whole["facts"]]
        as_of, whose = int(whole["as_of"], 16), str(whole["whose"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, DocumentError):
            raise
        message = f"it is not the JSON that was written here: {error}"
        raise DocumentError(message) from error
    return _without_twice(Document(as_of, tuple(lines), whose))


def _line(one: dict[str, Any], section: str | None) -> Line:
    place, said = section or one.get("category", "other"), one["text"]
    name = str(one["field"]) if section == PROFILE else None
    mark: dict[str, Any] = {"id": str(one["id"]), "version": int(one["version"])} if one.get("id") else {}
    if not isinstance(said, str) or place not in SECTIONS or (section is None and place == PROFILE):
        message = f"{one.get('category')!r:.40} is no category, or `text` is no text"
        raise DocumentError(message)
    return Line(place, said.strip(), name, **mark)
