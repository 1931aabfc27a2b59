"""The command for editing: profile and facts in the user's editor."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from retentive.cli.output import short, show
from retentive.cli.shared import Verb, no_process, note, scoped
from retentive.errors import InvalidInput, RetentiveError

if TYPE_CHECKING:
    from retentive.lifecycle.edit import EditReport
    from retentive.scoped import ScopedMemory

_PROBLEM = re.compile(r"\A<!-- PROBLEM: .*? -->\n", re.DOTALL)


@click.command(cls=Verb, example="retentive edit --user alice")
@no_process
def edit(*, process: bool) -> None:
    """Open a user's profile and facts in your editor ($VISUAL, $EDITOR), and apply what you changed.

    A line that cannot be read opens the editor again, with the reason on top. Closing it without a change then keeps
    your text in a file and applies nothing.
    """
    with scoped(process=process) as mine:
        report = _edited(mine)
        if report is None:
            note("nothing was changed")
        else:
            show(report, lambda: _lines(report))


def _edited(mine: ScopedMemory) -> EditReport | None:
    """What came of editing, asked again until it can be read; None when nothing was changed."""
    shown = mine.document()
    problem: RetentiveError | None = None
    while True:
        written = click.edit(shown, extension=".md")
        if written is None or written == shown:
            if problem is not None:
                message = f"{problem}; {_kept(shown)}"
                raise InvalidInput(message) from problem
            return None
        text = _PROBLEM.sub("", written)
        try:
            return mine.apply_document(text)
        except RetentiveError as error:  # whatever it is, what was written is still there to mend
            problem = error
            reason = " ".join(str(error).split()).replace("-->", "-- >")
            shown = f"<!-- PROBLEM: {reason} -->\n{text}"


def _kept(text: str) -> str:
    """The text in a file that only its writer may read, so that giving up loses nothing."""
    handle, path = tempfile.mkstemp(prefix="retentive-edit-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(_PROBLEM.sub("", text))
    return f"what you wrote is kept in {path}"


def _lines(report: EditReport) -> Iterator[str]:
    for what, ids in (("corrected", report.corrected), ("removed", report.removed), ("added", report.added)):
        yield from (f"{what} {short(one)}" for one in ids)
    yield from (f"CLASH {short(one)} {reason}" for one, reason in report.clashes)
    if not report.changed:
        yield "nothing was changed"
