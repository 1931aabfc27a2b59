"""How results look: JSON for programs, short lines for people. Stored text can steer no terminal."""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from retentive.cli.shared import given
from retentive.plain import plain

if TYPE_CHECKING:
    from retentive.results import ErasureReport, Hit, Item, Receipt, ReceiptItem, Why
    from retentive.types import SessionInfo

#: The date part and counter of a UUIDv7: enough to name a memory, short enough to type.
_SHORT_ID_CHARS = 18


def show(result: object, lines: Callable[[], Iterable[str]]) -> None:
    """Print a result: as JSON when asked, as lines otherwise."""
    if given().as_json:
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
        click.echo(json.dumps(plain(result), ensure_ascii=encoding != "utf8", indent=2))
        return
    for line in lines():
        click.echo(line)


# -- text on a terminal ------------------------------------------------------------------------------------------------
def printable(text: str) -> str:
    r"""The text on one line, with control and direction characters shown rather than obeyed.

    >>> printable("a\nb\x1b[2J")
    'a b\\x1b[2J'
    """
    spaced = " ".join(text.split())
    return "".join(c if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"} else _code(c) for c in spaced)


def _code(character: str) -> str:
    return (
        character.encode("ascii", "backslashreplace").decode() if ord(character) > 127 else f"\\x{ord(character):02x}"
    )


def width(text: str) -> int:
    """Columns a terminal needs: two for a wide character.

    >>> width("记忆")
    4
    """
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)


def clipped(text: str, columns: int) -> str:
    """The text within so many columns, with an ellipsis where it was cut."""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for character in text:
        used += width(character)
        if used > columns - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns under their heads; on a terminal the last one is cut to its width."""
    cells = [list(head), *([printable(cell) for cell in row] for row in rows)]
    if len(cells) == 1:
        return []
    widths = [max(width(row[place]) for row in cells) for place in range(len(head) - 1)]
    room = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths)
    return [_table_line(row, widths, room) for row in cells]


def _table_line(row: Sequence[str], widths: Sequence[int], room: int) -> str:
    padded = [cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=False)]
    last = clipped(row[-1], max(room, 20)) if sys.stdout.isatty() else row[-1]
    return "  ".join([*padded, last]).rstrip()


def short(id_: str) -> str:
    """The beginning of an id; commands take it in the id's place."""
    return id_[:_SHORT_ID_CHARS]


def day(item: Item) -> str:
    """The date as it stood on the speaker's calendar."""
    return (item.local_time or item.timestamp)[:10]


# -- results -----------------------------------------------------------------------------------------------------------
def kind(item: Item) -> str:
    """Who said it, or what kind of fact it is."""
    if item.tier == "episodic":
        return item.name or item.role or "message"
    state = "" if item.status == "active" else f" ({item.status})"
    return f"{item.field or item.category or 'fact'}{state}"


def item_lines(items: Iterable[Item]) -> list[str]:
    """A table of memories."""
    return table(("ID", "DAY", "WHAT", "TEXT"), [(short(i.id), day(i), kind(i), i.text) for i in items])


def hit_lines(hits: Sequence[Hit]) -> list[str]:
    """Recalled memories, best first, each with where it comes from."""
    lines = []
    for place, hit in enumerate(hits, 1):
        sources = [f"session {hit.session_id}"] if hit.session_id else []
        sources += [f"message {one}" for one in hit.source_ids]
        lines.append(f"{place}. {printable(hit.text)}")
        about = [day(hit.item), kind(hit.item), f"score {hit.score:.2f}", short(hit.id), *sources]
        lines.append("   " + " | ".join(printable(part) for part in about))
    return lines or ["nothing found"]


def receipt_lines(receipt: Receipt) -> list[str]:
    """What became of each thing given; of many, how many became what."""
    if len(receipt.items) <= 5:
        return [_receipt_line(item) for item in receipt.items] or ["nothing to store"]
    counts = Counter((item.outcome, item.reason) for item in receipt.items)
    return [f"{count} {outcome}{_because(reason)}" for (outcome, reason), count in counts.items()]


def _receipt_line(item: ReceiptItem) -> str:
    instead = f" in the place of {short(item.replaced_id)}" if item.replaced_id else ""
    name = f" {short(item.id)}" if item.id else ""
    return f"{'stored' if item.replaced_id else item.outcome}{name}{instead}{_because(item.reason)}"


def _because(reason: str | None) -> str:
    return f": {printable(reason)}" if reason else ""


def history_lines(versions: Iterable[Item]) -> list[str]:
    """Versions, oldest first, with why each one ended."""
    return [
        f"{(item.recorded_at or item.timestamp)[:19]}Z  {item.status}  {printable(item.text)}{_because(item.reason)}"
        for item in versions
    ]


def why_lines(why: Why) -> list[str]:
    """A memory, the words it rests on and its versions."""
    item = why.item
    told = f"{day(item)}, {kind(item)}, said by {item.source or item.name or item.role}, trust: {item.trust}"
    lines = [printable(item.text), f"  {printable(told)}", f"  id {item.id}"]
    lines += [
        f'  because {day(one)} {kind(one)} said "{printable(quote)}" ({short(one.id)})' for quote, one in why.evidence
    ]
    if len(why.versions) > 1:
        lines += ["  versions:", *(f"    {line}" for line in history_lines(why.versions))]
    return lines


def erasure_lines(report: ErasureReport) -> list[str]:
    """What was erased, place by place, and what is left of it."""
    rows = [(p.place, str(p.erased), str(p.left)) for p in report.places if p.erased or p.left]
    if report.dry_run:
        return table(("PLACE", "WOULD GO"), [row[:2] for row in rows]) or ["nothing would go: nothing matches"]
    return table(("PLACE", "ERASED", "LEFT"), rows) or ["nothing to forget: nothing matches"]


def session_lines(sessions: Iterable[SessionInfo]) -> list[str]:
    """A table of sessions."""
    rows = [(s.id, s.last[:10], str(s.message_count), s.state, s.summary or "") for s in sessions]
    return table(("SESSION", "LAST", "MESSAGES", "STATE", "ABOUT"), rows) or ["no sessions yet"]
