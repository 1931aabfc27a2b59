"""What all commands share: whose memory, which store, how to print, and the way from an error to an exit code.

The shared options may stand before or after a command's name; the later one wins, then RETENTIVE_*, then the default.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from retentive.config import Settings
from retentive.errors import InvalidInput, RetentiveError
from retentive.results import ProcessReport

if TYPE_CHECKING:
    from retentive.memory import Memory
    from retentive.scoped import ScopedMemory

#: Jobs run between two steps of the progress bar.
_STEP_JOBS = 16
#: What may be the beginning of an id.
_BEGINNING = re.compile(r"[0-9a-f-]{8,35}")


class _Number(click.types.FloatParamType):
    """A number, called so where it is none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was written."""
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)


NUMBER = _Number()


@dataclass(slots=True)
class Given:
    """What the shared options said. One for a whole command line."""

    store: str | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    tenant: str | None = None
    as_json: bool = False


def given() -> Given:
    """What the shared options of the running command said."""
    return click.get_current_context().ensure_object(Given)


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value:
        setattr(ctx.ensure_object(Given), str(param.name), value)


def _shared_options(*, json: bool) -> list[click.Parameter]:
    def text(name: str, metavar: str, meaning: str) -> click.Option:
        return click.Option([f"--{name}"], metavar=metavar, help=meaning, expose_value=False, callback=_keep)

    options = [
        text(
            "store",
            "URL",
            "The store: a path, sqlite:///path, file:folder/, :memory: or postgresql://role:password@host/database; "
            "with +qdrant://host:port/collection behind it, where one is to be asked (RETENTIVE_URL, else in your data "
            "directory).",
        ),
        text("user", "NAME", "Whose memory it is (RETENTIVE_USER)."),
        text("agent", "NAME", "Only what applies to this agent (RETENTIVE_AGENT)."),
        text("project", "NAME", "Only what applies to this project (RETENTIVE_PROJECT)."),
        text("tenant", "NAME", "The tenant the user belongs to (RETENTIVE_TENANT)."),
    ]
    if json:
        meaning = "Print JSON, for programs."
        options.append(
            click.Option(["--json", "as_json"], is_flag=True, help=meaning, expose_value=False, callback=_keep)
        )
    return [*options]


class Verb(click.Command):
    """A command that takes the shared options after its name as well; its help lists them and an example last."""

    def __init__(self, *args: Any, example: str, json: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._shared, self._example = _shared_options(json=json), example
        self.params += self._shared

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, then the shared ones under a heading of their own."""
        for title, wanted in (("Options", False), ("Shared options", True)):
            params = [p for p in self.get_params(ctx) if isinstance(p, click.Option) and (p in self._shared) is wanted]
            records = [record for param in params if (record := param.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """The example."""
        with formatter.section("Example"):
            formatter.write("".join(f"  {line}\n" for line in self._example.split("\n")))


class Front(click.Group):
    """The whole command line: shared options before the command, one line on stderr for an error of ours."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _shared_options(json=True)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run it. What a terminal cannot show is printed as an escape, never as a traceback."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; exit code 1 and what to do about it when Retentive could not do it."""
        try:
            return super().invoke(ctx)
        except RetentiveError as error:
            raise click.ClickException(" ".join(str(error).split())) from error


def no_process(command: Callable[..., None]) -> Callable[..., None]:
    """The option that leaves background jobs to a later run; they are run before the command ends otherwise."""
    meaning = "Leave vectors and session ends to `retentive process`."
    return click.option("--no-process", "process", flag_value=False, default=True, help=meaning)(command)


# -- opening ---------------------------------------------------------------------------------------------------------
@contextmanager
def opened(
    settings: Settings | None = None, *, change_embedder: bool = False, background: bool = False
) -> Iterator[Memory]:
    """The store of this command line, open; with `background`, its jobs are run by a thread meanwhile."""
    from retentive.memory import Memory  # noqa: PLC0415  numpy and the database load only when needed

    settings = settings or Settings.from_env()
    with Memory.open(
        given().store, settings=settings, background=background, change_embedder=change_embedder
    ) as memory:
        yield memory


@contextmanager
def scoped(*, process: bool = False) -> Iterator[ScopedMemory]:
    """The memory of this command line's user; with `process`, waiting jobs are run at the end."""
    settings = Settings.from_env()
    owner(settings)  # misuse is said before a store is made
    with opened(settings) as memory:
        yield scope_of(memory)
        if process:
            run_jobs(memory)


def scope_of(memory: Memory, *, user: str | None = None) -> ScopedMemory:
    """The scope that the options and settings name, or that of the given user."""
    options, settings = given(), memory.settings
    user, agent = owner(settings, user)
    return memory.scope(user, agent, options.project or settings.project, options.tenant or settings.tenant)


def owner(settings: Settings, user: str | None = None) -> tuple[str | None, str | None]:
    """User and agent that are named; misuse when there is neither."""
    user, agent = user or given().user or settings.user, given().agent or settings.agent
    if user is None and agent is None:
        message = "say whose memory it is: --user NAME or --agent NAME (or set RETENTIVE_USER)"
        raise click.UsageError(message)
    return user, agent


def run_jobs(memory: Memory, max_jobs: int | None = None) -> ProcessReport:
    """Run waiting jobs, with a bar on a terminal; those that failed are named on stderr and stay in the store."""
    total = ProcessReport()
    with progress(memory.pending(), "vectors and sessions") as advance:
        while max_jobs is None or total.tried < max_jobs:
            left = _STEP_JOBS if max_jobs is None else min(_STEP_JOBS, max_jobs - total.tried)
            step = memory.process(max_jobs=left)
            total = total.then(step)
            advance(step.done)
            if not step.tried:
                break
    for error in dict.fromkeys(total.errors):
        note(f"job failed, it is kept: {error}")
    return total


@contextmanager
def progress(length: int | None, label: str) -> Iterator[Callable[[int], None]]:
    """How far it is, on stderr where that is a terminal: a bar, or a count where the end is not known."""
    if length == 0 or not sys.stderr.isatty():
        yield lambda _: None
    elif length is None:
        counted = 0

        def count(more: int) -> None:
            nonlocal counted
            counted += more
            click.echo(f"\r{label}: {counted:,}", nl=False, err=True)

        yield count
        click.echo(err=True)
    else:
        with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
            yield bar.update


def note(message: str) -> None:
    """A remark for people: on stderr, so that what is piped on stays clean."""
    click.echo(message, err=True)


# -- what is given -----------------------------------------------------------------------------------------------------
def pairs(texts: Sequence[str]) -> dict[str, str]:
    """`name=value` arguments as a dict."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            message = f"write it as name=value, not {text!r}"
            raise click.UsageError(message)
        found[name.strip()] = value
    return found


def whole_id(mine: ScopedMemory, text: str) -> str:
    """The id that begins with `text` (8 characters or more), if just one in the scope does."""
    if not _BEGINNING.fullmatch(text):
        return text
    found: set[str] = set()
    cursor = None
    while True:
        page = mine.list(status=None, limit=1000, cursor=cursor)
        found |= {item.id for item in page if item.id.startswith(text)}
        cursor = page.cursor
        if cursor is None or len(found) > 1:
            break
    if len(found) > 1:
        message = f"more than one id begins with {text}: give more of it"
        raise InvalidInput(message)
    return found.pop() if found else text
