"""`retentive serve`, `mcp` and `keys`: the servers, and who may call them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retentive.cli.output import show, table
from retentive.cli.shared import Verb, given, note, opened, owner, scope_of
from retentive.clock import format_us, now_us
from retentive.config import Settings
from retentive.errors import MissingExtra
from retentive.types import RIGHTS

if TYPE_CHECKING:
    from retentive.contracts.keys import ApiKey
    from retentive.keys import NewKey

_SERVE_EXAMPLE = """retentive serve --store memory.db
retentive serve --host 0.0.0.0 --allow-host memory.example.org"""


@click.command(cls=Verb, example=_SERVE_EXAMPLE, json=False)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where it listens; others than loopback need a key."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8377, show_default=True, help="0 takes a free one.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", help="A name it is reached by.")
@click.option(
    "--allow-origin", "allow_origins", multiple=True, metavar="URL", help="A web page's origin that may call."
)
@click.option("--max-body-mb", type=click.IntRange(1), default=16, show_default=True, help="Megabytes of a request.")
@click.option("--tenant-minute", type=click.IntRange(1), metavar="N", help="Requests a minute for each tenant.")
def serve(
    *,
    host: str,
    port: int,
    allow_hosts: tuple[str, ...],
    allow_origins: tuple[str, ...],
    max_body_mb: int,
    tenant_minute: int | None,
) -> None:
    """Serve memory over HTTP, with a worker in the same process, until Ctrl-C or SIGTERM.

    Without a key it serves programs of this machine alone; once one was made (`retentive keys create`), nothing is open
    without one. The web page is at /, the verbs are under /v1, described by /v1/openapi.json.
    """
    try:
        from retentive.server.app import create_app  # noqa: PLC0415  an extra
        from retentive.server.options import ServerOptions  # noqa: PLC0415  as above
        from retentive.server.pages.table import page_routes  # noqa: PLC0415  as above
        from retentive.server.run import serve as run  # noqa: PLC0415  as above
    except ModuleNotFoundError as error:
        message = "the server is an extra: pip install 'retentive[server]'"
        raise MissingExtra(message) from error
    options = ServerOptions(
        host=host,
        port=port,
        allow_hosts=allow_hosts,
        allow_origins=allow_origins,
        max_body_bytes=max_body_mb << 20,
        tenant_minute=tenant_minute,
    )
    with opened(_named()) as memory:
        note(f"store {memory.status().location}")
        app = create_app(memory, options, more=page_routes())
        run(memory, app, options, started=lambda url: note(f"serving at {url} (open it in a browser for the web page)"))


@click.command(cls=Verb, example="retentive mcp --user alice", json=False)
@click.option(
    "--profile",
    type=click.Choice(["memory", "knowledge-graph", "all"]),
    default="memory",
    show_default=True,
    help="Which tools there are; knowledge-graph has those of the MCP project's reference memory server.",
)
@click.option(
    "--import-graph",
    "graph",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take in a reference memory server's memory.jsonl, and end.",
)
def mcp(profile: str, graph: Path | None) -> None:
    """Serve one user's memory to an MCP client, over standard input and output.

    For clients that start it themselves; `retentive serve` has the same at /mcp.
    """
    try:
        from retentive.mcp.graph import import_lines, profile_tools  # noqa: PLC0415  an extra
        from retentive.mcp.server import Reach  # noqa: PLC0415  as above
        from retentive.mcp.stdio import run_stdio  # noqa: PLC0415  as above
        from retentive.mcp.table import memory_tools  # noqa: PLC0415  as above
    except ModuleNotFoundError as error:
        message = "the MCP server is an extra: pip install 'retentive[mcp]'"
        raise MissingExtra(message) from error
    owner(Settings.from_env())  # misuse is said before a store is made
    with opened(background=True) as memory:
        mine = scope_of(memory)
        if graph is None:
            run_stdio(Reach(mine, RIGHTS, profile_tools(profile, memory_tools())))
        else:
            entities, relations = import_lines(mine, graph.read_text(encoding="utf-8").splitlines())
            click.echo(f"{entities} entities and {relations} relations are new")


@click.group()
def keys() -> None:
    """API keys: who may do what over a network."""


@keys.command(cls=Verb, example="retentive keys create website --right read --right write --tenant acme")
@click.argument("name")
@click.option(
    "--right",
    "rights",
    multiple=True,
    type=click.Choice(RIGHTS),
    default=["read", "write"],
    show_default=True,
    help="What it may do; give it again for more.",
)
@click.option("--for-user", "users", multiple=True, metavar="NAME", help="Whose memory alone; give it again for more.")
@click.option("--expires-at", metavar="TIME", help="Invalid from then on: 2027-12-31T00:00:00Z.")
@click.option("--rate", "rate_minute", type=click.IntRange(1), metavar="N", help="Requests a minute it may make.")
def create(
    name: str, rights: tuple[str, ...], users: tuple[str, ...], expires_at: str | None, rate_minute: int | None
) -> None:
    """Make a key and print it, this once: the store keeps no copy."""
    with opened(_named()) as memory:
        made = memory.keys.create(
            name,
            tenant=memory.settings.tenant,
            rights=rights,
            users=users,
            expires_at=expires_at,
            rate_minute=rate_minute,
        )
        _show(made)


@keys.command("list", cls=Verb, example="retentive keys list")
def list_() -> None:
    """Every key there ever was, oldest first; of one tenant with --tenant."""
    with opened() as memory:
        found = memory.keys.list(given().tenant)
        show(found, lambda: _lines(found))


@keys.command(cls=Verb, example="retentive keys revoke 4f0c1d2e3a4b")
@click.argument("key_id", metavar="ID")
def revoke(key_id: str) -> None:
    """Make a key invalid at once, also for a server that is running."""
    with opened() as memory:
        key = memory.keys.revoke(key_id)
        show(key, lambda: [f"revoked {key.id} {key.name}"])


@keys.command(cls=Verb, example="retentive keys rotate 4f0c1d2e3a4b --grace 3600")
@click.argument("key_id", metavar="ID")
@click.option("--grace", "grace_s", type=click.IntRange(0), default=0, show_default=True, metavar="SECONDS",
              help="How long the old one stays valid.")  # fmt: skip
def rotate(key_id: str, grace_s: int) -> None:
    """Make a key like this one and print it, this once."""
    with opened() as memory:
        _show(memory.keys.rotate(key_id, grace_s=grace_s))


def _named() -> Settings:
    """The settings, with the tenant and the user that the options name."""
    settings = Settings.from_env()
    return replace(settings, tenant=given().tenant or settings.tenant, user=given().user or settings.user)


def _show(made: NewKey) -> None:
    show(made, lambda: [made.text])
    note(f"key {made.key.id} for {made.key.tenant}: {', '.join(made.key.rights)}; it is shown this once")


def _lines(found: list[ApiKey]) -> Iterator[str]:
    rows = [(k.id, k.name, k.tenant, ",".join(k.rights), _state(k), format_us(k.created_us)[:10]) for k in found]
    yield from table(("ID", "NAME", "TENANT", "RIGHTS", "STATE", "MADE"), rows) or ["no keys yet"]


def _state(key: ApiKey) -> str:
    if key.is_valid(now_us()):
        return "valid"
    return "revoked" if key.ended_us is not None else "expired"
