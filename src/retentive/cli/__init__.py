"""The command line. A front: each command translates its options into one call of a public verb and prints the result.

Exit codes: 0 done, 1 failed (one line on stderr says what to do), 2 misuse.
"""

from __future__ import annotations

import click

from retentive import __version__
from retentive.cli.audit import audit
from retentive.cli.backup import backup, restore
from retentive.cli.bench import bench
from retentive.cli.chat import chat
from retentive.cli.demo import demo
from retentive.cli.edit import edit
from retentive.cli.files import export, import_
from retentive.cli.index import index
from retentive.cli.keep import forget, record, remember
from retentive.cli.lifecycle import consolidate, retain, verify
from retentive.cli.look import block, history, list_, profile, recall, why
from retentive.cli.migrate import migrate
from retentive.cli.rebuild import rebuild
from retentive.cli.review import redact, review, work
from retentive.cli.serve import keys, mcp, serve
from retentive.cli.sessions import session
from retentive.cli.shared import Front
from retentive.cli.sheet import sheet
from retentive.cli.streams import ingest, relay
from retentive.cli.tune import tune
from retentive.cli.upkeep import doctor, process, reembed, usage


@click.group(cls=Front, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="retentive")
def main() -> None:
    """Memory for AI agents: record what happened, remember what matters, recall it, forget it.

    Start with `retentive demo`, or with `retentive remember "I prefer answers in German" --user alice`.
    """


for _command in (
    demo,
    chat,
    record,
    remember,
    recall,
    block,
    profile,
    list_,
    history,
    why,
    forget,
    session,
    import_,
    export,
    backup,
    restore,
    migrate,
    ingest,
    relay,
    index,
    edit,
    process,
    work,
    review,
    sheet,
    redact,
    retain,
    consolidate,
    verify,
    doctor,
    reembed,
    rebuild,
    usage,
    audit,
    serve,
    mcp,
    keys,
    bench,
    tune,
):
    main.add_command(_command)
