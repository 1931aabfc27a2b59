"""Commands of the audit: audit list, audit verify."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from retentive.cli.output import show, table
from retentive.cli.shared import Verb, given, note, opened

if TYPE_CHECKING:
    from retentive.contracts.audit import AuditCheck, AuditEntry, AuditPage
    from retentive.types import Scope


@click.group()
def audit() -> None:
    """Who wrote, read, changed, approved and forgot what, and when; without the text."""


@audit.command("list", cls=Verb, example="retentive audit list --verb forget --user alice")
@click.option("--actor", help="Only what this one did; `local` is this machine, `worker` a background job.")
@click.option("--verb", help="Only this: record, remember, update, supersede, approve, forget, recall ...")
@click.option("--memory", "memory_id", metavar="ID", help="Only what befell this memory: its whole id.")
@click.option("--since", metavar="TIME", help="From then on, with a zone: 2026-08-18T09:00:00+08:00.")
@click.option("--until", metavar="TIME", help="Before then.")
@click.option("--limit", type=int, default=100, show_default=True, help="How many a page.")
@click.option("--cursor", help="Where the last page ended.")
def list_(limit: int, **asked: str | None) -> None:
    """List entries, newest first: of all scopes, or of the user or agent that is named."""
    with opened() as memory:
        page = memory.audit(scope=_named_scope(memory.settings.tenant), tenant=given().tenant, limit=limit, **asked)
        show(page, lambda: _entry_lines(page))
    if page.cursor and not given().as_json:
        note(f"more: --cursor {page.cursor}")


def _named_scope(tenant: str) -> Scope | None:
    """Whose entries are asked for, where the command line says it; RETENTIVE_USER does not narrow an audit."""
    from retentive.types import Scope  # noqa: PLC0415  nothing is loaded for --help

    options = given()
    if options.user is None and options.agent is None:
        return None
    return Scope(options.user, options.agent, tenant=options.tenant or tenant)


def _entry_lines(page: AuditPage) -> list[str]:
    head = ("NO", "WHEN", "ACTOR", "VERB", "COUNT", "WHOSE", "IDS")
    lines = table(head, [(str(e.no), e.at[:19] + "Z", e.actor, e.verb, str(e.count), _whose(e), _ids(e)) for e in page])
    return lines or ["nothing here"]


def _whose(entry: AuditEntry) -> str:
    if entry.owner is not None:
        return f"{entry.kind} {entry.owner}"
    return f"#{entry.partition}, forgotten" if entry.partition else ""


def _ids(entry: AuditEntry) -> str:
    return " ".join(entry.ids[:3]) + (" ..." if len(entry.ids) > 3 else "")


@audit.command(cls=Verb, example="retentive audit verify --head 118:9f2c...")
@click.option("--head", metavar="NO:HASH", help="A head kept elsewhere: entries cut off at the end are found too.")
def verify(head: str | None) -> None:
    """Follow the chain and name entries that were changed, moved or removed. Exit code 1 when there are any.

    Prints the head, the number and hash of the last entry: keep it where whoever can write to the store cannot.
    """
    with opened() as memory:
        check = memory.audit_verify(head)
        show(check, lambda: _check_lines(check))
    if check.problems:
        click.get_current_context().exit(1)


def _check_lines(check: AuditCheck) -> Iterator[str]:
    yield from (f"PROBLEM  {problem}" for problem in check.problems)
    yield f"{check.entries} entries{'' if check.problems else ', all in their places'}"
    yield f"head {check.head}"
