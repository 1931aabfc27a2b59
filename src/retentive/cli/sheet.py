"""The command for a review sheet: sheet."""

from __future__ import annotations

import click

from retentive.cli.output import show
from retentive.cli.shared import Verb, given, opened, scope_of


@click.command(cls=Verb, example="retentive sheet --key 1AbC...xyz --credentials service-account.json")
@click.option("--key", required=True, metavar="ID", help="The spreadsheet's id, as it stands in its address.")
@click.option(
    "--credentials", required=True, type=click.Path(exists=True, dir_okay=False), help="A service account's key."
)
@click.option("--worksheet", default="Memories", show_default=True, metavar="NAME", help="Made where it is not there.")
def sheet(key: str, credentials: str, worksheet: str) -> None:
    """Bring a Google Sheet and the store together: people's edits into the store, its facts into the sheet.

    A row a fact, of everybody or of --user or --agent. Set status to active or rejected, correct the text or category,
    or add a row.
    """
    from retentive.errors import MissingExtra  # noqa: PLC0415

    try:
        from retentive.sheets import open_table, sync  # noqa: PLC0415  its client is an extra
    except ModuleNotFoundError as error:
        message = "Google Sheets needs its client: pip install 'retentive[sheets]'"
        raise MissingExtra(message) from error
    table = open_table(credentials, key, worksheet)
    with opened() as memory:
        narrow = given().user or given().agent or memory.settings.user or memory.settings.agent
        report = sync(memory, table, [scope_of(memory).scope] if narrow else None)
    said = f"{report.accepted} accepted, {report.rejected} rejected, {report.corrected} corrected, {report.added} added"
    show(report, lambda: [f"{said}, {report.refused} with a note; {report.rows} rows written"])
