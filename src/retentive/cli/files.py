"""Commands for files: import, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, given, no_process, opened, progress, run_jobs, scope_of, scoped
from retentive.errors import ImportFailed

if TYPE_CHECKING:
    from retentive.lifecycle.export import ExportFormat


@click.command("import", cls=Verb, example="retentive import conversations.json --user alice")
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "openai", "chatgpt", "labelled", "retentive"]),
    default="auto",
    show_default=True,
    help="What the file is.",
)
@no_process
def import_(path: Path, format_: str, *, process: bool) -> None:
    """Take in conversations; importing twice adds nothing.

    Reads OpenAI messages (JSON or JSONL), a ChatGPT export (zip or conversations.json), labelled conversations and our
    own export, the first three also as .gz.
    """
    from retentive.importers import import_file  # noqa: PLC0415

    with opened() as memory:
        with progress(None, "messages") as advance:
            report = import_file(
                path, lambda user: scope_of(memory, user=given().user or user), format_=format_, advance=advance
            )
        show(report, report.lines)
        if process:
            run_jobs(memory)
    if report.broken and not report.taken:
        message = f"nothing in {path.name} could be read as {report.format}: see the reasons above, or give --format"
        raise ImportFailed(message)


@click.command(cls=Verb, example="retentive export alice.jsonl --user alice\nretentive export alice.md --user alice")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "markdown", "csv"]),
    help="By default what FILE ends in says it: .md, .csv, anything else is JSON lines.",
)
def export(path: Path, format_: ExportFormat | None) -> None:
    """Write all that is stored of a user, every version.

    JSON lines lose nothing and can be read by `retentive import`; Markdown is for people, CSV for spreadsheets.
    """
    with scoped() as mine:
        count = mine.export(path, format=format_)
        show({"lines": count, "path": str(path)}, lambda: [f"{count} lines in {path}"])
