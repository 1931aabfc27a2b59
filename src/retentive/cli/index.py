"""The command for a vector index beside the store: index."""

from __future__ import annotations

import click

from retentive.cli.output import show
from retentive.cli.shared import NUMBER, Verb, given, note
from retentive.cli.streams import until_told


@click.command(cls=Verb, example="retentive index --to qdrant://127.0.0.1:6333/memories")
@click.option("--to", "target", metavar="URL", required=True, help="qdrant://host:port/collection.")
@click.option("--once", is_flag=True, help="Bring it up to date, and end.")
@click.option("--rebuild", is_flag=True, help="Throw away what is there first.")
@click.option(
    "--poll", "poll_s", type=NUMBER, default=1.0, show_default=True, help="Seconds between looks for changes."
)
def index(target: str, poll_s: float, *, once: bool, rebuild: bool) -> None:
    """Keep a Qdrant up to date with the vectors of the store, until SIGTERM or Ctrl-C."""
    from retentive.config import Settings, default_url  # noqa: PLC0415  the database loads only when needed
    from retentive.errors import IndexUnavailable, MissingExtra  # noqa: PLC0415
    from retentive.plugins import make_backend  # noqa: PLC0415

    try:
        from retentive.backends.qdrant import QdrantVectors, open_client  # noqa: PLC0415
    except ModuleNotFoundError as error:
        message = "a Qdrant needs its client: pip install 'retentive[qdrant]'"
        raise MissingExtra(message) from error
    stopping, settings = until_told(), Settings.from_env()
    client, collection = open_client(target)
    backend = make_backend(given().store or settings.url or default_url(), settings)
    vectors = QdrantVectors(client, collection, backend)
    try:
        done = vectors.rebuild(stopping.is_set) if rebuild else vectors.sync(stopping.is_set)
        show(done, lambda: [f"{done.put} points put, {done.dropped} dropped, {done.lag} changes to come"])
        while not once and not stopping.wait(poll_s):
            try:
                vectors.sync(stopping.is_set)
            except IndexUnavailable as error:
                note(str(error))
    finally:
        client.close()
        backend.store.close()
