"""Commands that write: record, remember, forget."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from retentive.cli.output import erasure_lines, receipt_lines, show
from retentive.cli.shared import NUMBER, Verb, no_process, pairs, scoped, whole_id
from retentive.errors import InvalidInput, RetentiveError
from retentive.importers.reading import records

if TYPE_CHECKING:
    from retentive.results import ErasureReport
    from retentive.scoped import ScopedMemory

_RECORD_EXAMPLE = """retentive record --user alice "I moved to Berlin" --session s1
retentive record --user alice --session s1 messages.jsonl"""

_FORGET_EXAMPLE = """retentive forget 01a1b2c3-d4e5-7f00 --user alice
retentive forget --session s1 --verify --user alice"""


@click.command(cls=Verb, example=_RECORD_EXAMPLE)
@click.argument("messages", nargs=-1, required=True, metavar="TEXT... | FILE | -")
@click.option("--role", default="user", show_default=True, help="Who says the texts.")
@click.option("--name", help="The speaker's name.")
@click.option("--session", "session_id", metavar="ID", help="The conversation they belong to.")
@click.option("--timestamp", metavar="TIME", help="When it was said, with a zone: 2026-08-18T09:00:00+08:00.")
@click.option("--id", "source_id", metavar="ID", help="Your own id of the message; the same one is stored once.")
@no_process
def record(messages: tuple[str, ...], session_id: str | None, *, process: bool, **about: str | None) -> None:
    """Append messages to the log: texts, or JSON messages (a list, or one a line) from FILE.json[l] or stdin (-)."""
    given = _messages(messages, about)
    with scoped(process=process) as mine:
        receipt = mine.record(given, session_id)
        show(receipt, lambda: receipt_lines(receipt))


def _messages(given: Sequence[str], about: Mapping[str, str | None]) -> list[Any]:
    """Messages out of the arguments: read from the one file named, or made of each text."""
    if len(given) == 1 and (given[0] == "-" or given[0].endswith((".json", ".jsonl"))):
        return _read_messages(given[0])
    if about["source_id"] and len(given) > 1:
        message = "--id names one message: give one text"
        raise click.UsageError(message)
    fields = {name: about[name] for name in ("role", "name", "timestamp") if about[name] is not None}
    own_id = {"id": about["source_id"]} if about["source_id"] else {}
    return [{"content": text} | fields | own_id for text in given]


def _read_messages(path: str) -> list[Any]:
    try:
        with click.open_file(path, encoding="utf-8-sig") as file:
            found = list(records(file.read()))
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read as UTF-8 text: {error}"
        raise click.UsageError(message) from error
    broken = next((one for one in found if isinstance(one, ValueError)), None)
    if broken is not None:
        message = f"{path} is not JSON, nothing was recorded: {broken}"
        raise InvalidInput(message)
    return found


@click.command(cls=Verb, example='retentive remember "I prefer answers in German" --category preference --user alice')
@click.argument("text")
@click.option("--category", help="identity, preference, constraint, decision, open_thread, correction, ...")
@click.option("--field", help="The profile field it fills: name, role, language, timezone, tone, ...")
@click.option("--confidence", type=NUMBER, metavar="0..1", help="How sure it is.")
@click.option("--evergreen", is_flag=True, help="Always in the block, never faded.")
@click.option("--expires-at", metavar="TIME", help="Gone from then on: 2026-12-31T00:00:00Z.")
@click.option("--source", default="user", show_default=True, help="Who says so; tool and web are not trusted.")
@click.option("--metadata", metavar="JSON", help="An object to keep with it.")
@click.option("--idempotency-key", metavar="KEY", help="A repeat under the same key changes nothing.")
@no_process
def remember(text: str, metadata: str | None, *, process: bool, **about: Any) -> None:
    """Keep a statement as a fact. The newest statement about the same thing takes the older one's place."""
    kept = None if metadata is None else _json_option(metadata)
    with scoped(process=process) as mine:
        receipt = mine.remember(text, metadata=kept, **about)
        show(receipt, lambda: receipt_lines(receipt))


def _json_option(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        message = f"--metadata is a JSON object, such as '{{\"ticket\": 7}}': {error}"
        raise click.UsageError(message) from error


@click.command(cls=Verb, example=_FORGET_EXAMPLE)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--where", multiple=True, metavar="NAME=VALUE", help="All that match, instead of ids; may be repeated.")
@click.option("--session", "session_id", metavar="ID", help="All of this conversation.")
@click.option("--of-project", metavar="NAME", help="All that was stored for this project alone.")
@click.option("--since", metavar="TIME", help="All that happened from then on: 2026-08-18T00:00:00Z.")
@click.option("--until", metavar="TIME", help="All that happened until then.")
@click.option("--everything", is_flag=True, help="All that is stored of this user.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.option("--verify", is_flag=True, help="Search the bytes of every file for what went.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@no_process
def forget(
    ids: tuple[str, ...], where: tuple[str, ...], *, everything: bool, yes: bool, process: bool, **about: Any
) -> None:
    """Erase memories with every version, vector and derived fact, and report what was looked through.

    Conditions are all to hold; facts of a conversation that other messages say too stay.
    """
    how = {name: about.pop(name) for name in ("dry_run", "verify")}
    asked = {name: value for name, value in about.items() if value is not None}
    if bool(ids) + bool(where or asked) + everything != 1:
        message = "say what to forget: ids, or conditions such as --where NAME=VALUE or --session ID, or --everything"
        raise click.UsageError(message)
    if not ids:
        named = [*where, *(f"{name.removesuffix('_id').removeprefix('of_')} {value}" for name, value in asked.items())]
        what = "all that is stored" if everything else f"all where {' and '.join(named)}"
        _confirm(what, yes=yes or how["dry_run"])
    with scoped(process=process and not how["dry_run"]) as mine:
        report = mine.forget_everything(**how) if everything else _forgotten(mine, ids, where, **asked, **how)
        show(report, lambda: erasure_lines(report))
    if not report.complete:
        message = "some of it is still there: run `retentive doctor`, then forget again"
        raise RetentiveError(message)


def _forgotten(mine: ScopedMemory, ids: Sequence[str], where: Sequence[str], **asked: Any) -> ErasureReport:
    named = [whole_id(mine, one) for one in ids] or None
    return mine.forget(named, where=filters(where), **asked)


def _confirm(what: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        message = f"forgetting {what} cannot be undone: add --yes"
        raise click.UsageError(message)
    click.confirm(f"Forget {what}? This cannot be undone", abort=True, err=True)


def filters(where: Sequence[str]) -> dict[str, Any] | None:
    """`name=value` texts as a filter: true, false and numbers as such, all else as text; None when there are none."""
    return {name: _value(text) for name, text in pairs(where).items()} or None


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str | int | float | bool) else text
