"""`retentive chat`: talk to a model that remembers. What the user says is stored before the model is asked."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from retentive.cli.output import hit_lines, printable, why_lines
from retentive.cli.shared import Verb, note, opened, run_jobs, scope_of, whole_id
from retentive.config import Settings
from retentive.errors import ModelError, NotFound, RetentiveError

if TYPE_CHECKING:
    from retentive.models.chat import ChatModel
    from retentive.results import Block
    from retentive.scoped import ScopedMemory
    from retentive.session import Session

_INSTRUCTIONS = "You are a helpful personal assistant. Answer briefly."
_HELP = "/memory shows what I know, /why why, /forget TEXT or ID forgets it, /quit ends. All else is for the model."


@click.command(
    cls=Verb, example="retentive chat --user alice --model-url http://127.0.0.1:11434/v1 --model llama3", json=False
)
@click.option("--model-url", metavar="URL", help="An OpenAI-compatible endpoint, up to /v1 (RETENTIVE_MODEL_URL).")
@click.option("--model", "model_name", metavar="NAME", help="The model's name there (RETENTIVE_MODEL_NAME).")
@click.option("--session", "session_id", metavar="ID", help="Go on with this conversation.")
@click.option("--system", default=_INSTRUCTIONS, help="Instructions for the model, put before the memory.")
def chat(model_url: str | None, model_name: str | None, session_id: str | None, system: str) -> None:
    """Talk to a model that remembers.

    /memory, /why, /forget TEXT and /quit are for the memory, all else is for the model. Its key is RETENTIVE_MODEL_KEY.
    """
    with _model(model_url, model_name) as model, opened() as memory:
        talk = Talk(scope_of(memory), model, system, session_id)
        talk.run(_lines())
        run_jobs(memory)


def _model(url: str | None, name: str | None) -> ChatModel:
    from retentive.models.chat import ChatModel  # noqa: PLC0415

    settings = Settings.from_env()
    url, name = url or settings.model_url, name or settings.model_name
    if not url or not name:
        message = "chat needs a model: --model-url URL --model NAME (or RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME)"
        raise click.UsageError(message)
    return ChatModel(url, name, api_key=settings.model_key)


def _lines() -> Iterator[str]:
    """What the user types, until the end of input or Ctrl-C."""
    terminal = sys.stdin.isatty()
    if terminal and importlib.util.find_spec("readline"):
        importlib.import_module("readline")  # gives input() its line editing
    while True:
        try:
            yield _next_line(terminal=terminal)
        except (EOFError, KeyboardInterrupt):
            click.echo()
            return


def _next_line(*, terminal: bool) -> str:
    if terminal:
        return input("> ")
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


class Talk:
    """One conversation: its session, the last block, and the commands that look at memory."""

    def __init__(self, mine: ScopedMemory, model: ChatModel, system: str, session_id: str | None = None) -> None:
        self._mine, self._model, self._system = mine, model, system
        self._session: Session = mine.session(session_id)
        self._block: Block | None = None
        self._input: Iterator[str] = iter(())
        self._commands: dict[str, Callable[[str], None]] = {
            "/memory": self._show_memory,
            "/why": self._show_why,
            "/forget": self._forget,
            "/help": lambda _: click.echo(_HELP),
        }

    def run(self, lines: Iterator[str]) -> None:
        """Answer until the lines end, /quit or Ctrl-C; the session is ended whatever happens."""
        self._input = lines
        try:
            for line in lines:
                word, _, rest = line.strip().partition(" ")
                if word in {"/quit", "/exit"}:
                    break
                if word.startswith("/"):
                    self._command(word, rest.strip())
                elif word:
                    self._answer(line.strip())
        except KeyboardInterrupt:
            click.echo()
        finally:
            self._session.end()

    def _command(self, word: str, rest: str) -> None:
        try:
            self._commands.get(word, self._commands["/help"])(rest)
        except RetentiveError as error:
            note(str(error))

    def _answer(self, said: str) -> None:
        self._block = self._known(said)
        self._session.add("user", said)
        known = self._block.text if self._block else ""
        prompt = "\n\n".join(part for part in (self._system, known) if part)
        pieces: list[str] = []
        about = {}
        try:
            for piece in self._model.stream([{"role": "system", "content": prompt}, *self._session.messages]):
                pieces.append(piece)
                click.echo(_shown(piece), nl=False)
        except KeyboardInterrupt:
            about = {"metadata": {"interrupted": True}}
        except ModelError as error:
            about = {"metadata": {"interrupted": True}}
            note(f"{error} (what you said is stored)")
        if "".join(pieces).strip():
            self._session.add("assistant", "".join(pieces), **about)
        click.echo()

    def _known(self, said: str) -> Block | None:
        """The block for what was said; without one the conversation goes on, and it is said why."""
        try:
            return self._mine.block(said)
        except RetentiveError as error:
            note(f"no memory this time: {error}")
            return None

    def _show_memory(self, query: str) -> None:
        text = self._mine.block(query or None).text if query or self._block is None else self._block.text
        click.echo(text or "nothing yet")

    def _show_why(self, _: str) -> None:
        if self._block is None or not self._block.ids:
            click.echo("the last answer rested on no memory")
            return
        for one in self._block.ids:
            try:
                click.echo("\n".join(why_lines(self._mine.why(one))))
            except NotFound:  # forgotten since
                continue

    def _forget(self, text: str) -> None:
        """Ask which of what matches is meant, then forget it."""
        if not text:
            click.echo("forget what? /forget TEXT, or an id from /why")
            return
        chosen = self._chosen(text)
        if not chosen:
            click.echo("nothing forgotten")
            return
        report = self._mine.forget(chosen)
        self._session = self._mine.session(self._session.id)  # working memory must not go on saying it
        self._block = None
        state = "gone" if report.complete else "NOT all gone: run `retentive doctor`"
        click.echo(f"{len(chosen)} forgotten, {state}")

    def _chosen(self, text: str) -> list[str]:
        """Ids the user confirmed: of the one with this id, or by number among what the text recalls."""
        try:
            hits = [self._mine.get(whole_id(self._mine, text))]
            click.echo(printable(hits[0].text))
            return [hits[0].id] if self._reply("forget this? yes or no: ") in {"y", "yes"} else []
        except NotFound:
            found = self._mine.recall(text, k=5).hits
        if not found:
            return []
        click.echo("\n".join(hit_lines(found)))
        reply = self._reply("forget which? a number, all or none: ")
        if reply == "all":
            return [hit.id for hit in found]
        return [found[int(reply) - 1].id] if reply.isdecimal() and 1 <= int(reply) <= len(found) else []

    def _reply(self, question: str) -> str:
        click.echo(question, nl=not sys.stdin.isatty())
        return next(self._input, "").strip().lower()


def _shown(piece: str) -> str:
    """A piece of the model's answer: its line ends as they are, everything else that steers a terminal as an escape."""
    return "\n".join(_one_line(part) for part in piece.split("\n"))


def _one_line(text: str) -> str:
    lead, trail = len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))
    if not text.strip(" "):
        return text
    return " " * lead + printable(text.strip(" ")) + " " * trail
