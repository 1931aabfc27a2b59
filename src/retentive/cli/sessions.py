"""Commands about conversations: session list, session show."""

from __future__ import annotations

import click

from retentive.cli.output import day, kind, printable, session_lines, show
from retentive.cli.shared import Verb, scoped


@click.group()
def session() -> None:
    """Look at conversations."""


@session.command("list", cls=Verb, example="retentive session list --user alice")
@click.option("--limit", type=int, default=20, show_default=True, help="How many, at the most.")
def list_(limit: int) -> None:
    """List the sessions that spoke last, newest first."""
    with scoped() as mine:
        sessions = mine.sessions(limit)
        show(sessions, lambda: session_lines(sessions))


@session.command("show", cls=Verb, example="retentive session show s1 --user alice")
@click.argument("session_id", metavar="ID")
@click.option("--limit", type=int, default=200, show_default=True, help="The last so many messages.")
def show_(session_id: str, limit: int) -> None:
    """Show the messages of a session, oldest first."""
    with scoped() as mine:
        messages = mine.session_messages(session_id, limit)
        show(messages, lambda: [f"{day(one)} {printable(kind(one))}: {printable(one.text)}" for one in messages])
