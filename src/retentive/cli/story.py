"""The story that `retentive demo` plays: two days with one user, and the promises that must hold on the second."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from retentive.cli.output import erasure_lines, hit_lines, why_lines
from retentive.config import Settings
from retentive.errors import RetentiveError
from retentive.memory import Memory
from retentive.results import Receipt
from retentive.scoped import ScopedMemory

USER = "sam"
SESSION = "monday"

#: (the caller's own id, when, who, what)
MESSAGES = (
    ("m1", "2026-03-02T06:40:00+00:00", "user", "Morning! I'm Sam, I run a small bakery in Leeds with two ovens."),
    ("m2", "2026-03-02T06:40:20+00:00", "assistant", "Good morning, Sam. How can I help the bakery today?"),
    ("m3", "2026-03-02T06:41:00+00:00", "user", "Keep answers short, please. I read them between two batches."),
    ("m4", "2026-03-02T06:41:10+00:00", "assistant", "Short it is."),
    ("m5", "2026-03-02T06:45:00+00:00", "user", "Billing: from April the cafés get one invoice a month, not weekly."),
    ("m6", "2026-03-02T06:45:15+00:00", "assistant", "Monthly invoices for the cafés from April, noted."),
    ("m7", "2026-03-02T06:52:00+00:00", "user", "The rye starter was sluggish, the cellar is down to 14 degrees."),
    ("m8", "2026-03-02T06:52:20+00:00", "assistant", "Move it near the oven and feed it twice today."),
    ("m9", "2026-03-02T07:03:00+00:00", "user", "At Saturday's market we sold out of cardamom buns by ten."),
    ("m10", "2026-03-02T07:03:15+00:00", "assistant", "Then bake a third more of them next Saturday."),
    ("m11", "2026-03-02T07:10:00+00:00", "user", "And nothing with sesame in my own lunch: I'm allergic."),
    ("m12", "2026-03-02T07:10:10+00:00", "assistant", "Understood, no sesame for you."),
)
PROFILE = {"name": "Sam Okafor", "role": "baker", "location": "Leeds", "tone": "short answers"}
#: Changes on day two: (what was said on day one, what takes its place).
CHANGE = ("My flour supplier is Hartley Mills", "My flour supplier is Old Bridge Mill now")
FACTS = (
    ("constraint", "I'm allergic to sesame"),
    ("relationship", CHANGE[0]),
    ("decision", "Cafés are invoiced monthly from April"),
)
#: Said, and taken back on day two.
TAKEN_BACK = "My sister Ottilie is staying with me until she finds a flat"
#: In lower case, as a byte search of the files looks for them; the first as its stem stands in the index.
TAKEN_BACK_WORD = "ottili"
KEPT_WORD = "sesam"
_NEXT = """Your turn:
  retentive remember "I prefer answers in German" --user me
  retentive recall "which language?" --user me
  retentive block --user me"""


def play() -> None:
    """Both days, in a store that is thrown away afterwards. Raises RetentiveError when a promise is broken."""
    with tempfile.TemporaryDirectory(prefix="retentive-demo-") as folder:
        store = Path(folder) / "memory.db"
        acknowledged = watch_day_one(store)
        with Memory.open(store, settings=Settings(), background=False) as memory:
            day_two(memory, memory.scope(user_id=USER), acknowledged)
        forgotten_for_good(store)
    click.echo(f"\n{_NEXT}")


def promise(what: str, *, kept: bool) -> None:
    """Say that a promise is kept; end with exit code 1 when it is not."""
    click.echo(f"  {'ok' if kept else 'FAILED'}: {what}")
    if not kept:
        message = f"a promise was broken: {what}"
        raise RetentiveError(message)


def title(text: str) -> None:
    """Say which part comes now."""
    click.echo(f"\n== {text}")


# -- day one -----------------------------------------------------------------------------------------------------------
def live_day_one(store: Path) -> None:
    """Be the process of day one: write, acknowledge each id on stdout, then wait for the end from outside."""
    memory = Memory.open(store, settings=Settings(), background=False)
    for receipt in _writes(memory.scope(user_id=USER)):
        click.echo("\n".join(receipt.ids))
    click.echo("done")
    sys.stdin.read()


def _writes(mine: ScopedMemory) -> Iterator[Receipt]:
    """All that is said and kept on day one, one receipt after the other."""
    chat = mine.session(SESSION)
    for own, time, role, text in MESSAGES:
        yield chat.add(role, text, id=own, timestamp=time)
    yield mine.update_profile(PROFILE)
    for category, text in FACTS:
        yield mine.remember(text, category=category)
    yield mine.remember(TAKEN_BACK)


def watch_day_one(store: Path) -> list[str]:
    """Run day one in a process of its own, and kill it once it has acknowledged; returns the ids it acknowledged."""
    title("Day one, Monday: Sam talks to an assistant")
    for _, time, role, text in MESSAGES:
        click.echo(f"  {time[11:16]} {role}: {text}")
    arguments = [sys.executable, "-m", "retentive.cli", "demo", "--day-one", str(store)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as child:  # noqa: S603
        assert child.stdout is not None  # noqa: S101  a pipe was asked for
        acknowledged = _acknowledged(child.stdout)
        child.kill()
    click.echo(
        f"\n  It acknowledged {len(acknowledged)} memories. Then the process was killed (kill -9), session and all."
    )
    promise("day one was written", kept=len(acknowledged) > len(MESSAGES))
    return acknowledged


def _acknowledged(lines: IO[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if line.strip() == "done":
            return found
        found.append(line.strip())
    return []


# -- day two -----------------------------------------------------------------------------------------------------------
def day_two(memory: Memory, mine: ScopedMemory, acknowledged: list[str]) -> None:
    """What the next process makes of it."""
    title("Day two, Tuesday: another process opens the same file")
    report = memory.process()
    known = {item.id for tier in ("episodic", "semantic") for item in mine.list(tier, status=None)}
    session = mine.sessions()[0]
    promise(f"all {len(acknowledged)} acknowledged memories are there", kept=known >= set(acknowledged))
    promise(
        f"the session that died was ended: {session.summary}", kept=session.state == "ended" and bool(session.summary)
    )
    promise(f"{report.done} background jobs that it left were done", kept=report.done > 0 and report.waiting == 0)
    remembers(mine)
    explains(mine)
    forgets(mine)


def remembers(mine: ScopedMemory) -> None:
    """The block of day two, and an answer."""
    title("What goes into the prompt on Tuesday")
    block = mine.block("Good morning! What should I bake for the market?")
    click.echo(block.text)
    promise(
        f"it knows who is asking, in {block.tokens} tokens", kept="Sam Okafor" in block.text and block.tokens <= 800
    )
    title("Find when we discussed billing")
    hits = mine.recall("when did we discuss billing?", k=3).hits
    click.echo("\n".join(hit_lines(hits)))
    promise("it was on Monday, 2 March", kept=bool(hits) and hits[0].timestamp.startswith("2026-03-02"))


def explains(mine: ScopedMemory) -> None:
    """A fact that changed, with its history."""
    title("Something changes, and Sam asks why")
    old, new = CHANGE
    click.echo(f"  user: {new}")
    receipt = mine.remember(new, category="relationship")
    reasons = mine.why(receipt.ids[0])
    click.echo("\n".join(why_lines(reasons)))
    found = [hit.text for hit in mine.recall("who supplies my flour?", tiers=["semantic"]).hits]
    promise("the newest statement is recalled, the old one is not", kept=new in found and old not in found)
    promise("the old one stays in the history", kept=[item.text for item in reasons.versions] == [old, new])


def forgets(mine: ScopedMemory) -> None:
    """One fact, erased and looked for."""
    title("Forget what I said about my sister")
    page = mine.list(tier="semantic")
    report = mine.forget([item.id for item in page if TAKEN_BACK_WORD in item.text.lower()])
    click.echo("\n".join(erasure_lines(report)))
    promise("the report looked and found nothing left", kept=bool(report.ids) and report.complete)


def forgotten_for_good(store: Path) -> None:
    """The raw bytes of the closed store: the forgotten word is in none, a kept one is (so the search would find it)."""
    written = b"".join(path.read_bytes().lower() for path in sorted(store.parent.iterdir()))
    kept, forgotten = (written.count(word.encode()) for word in (KEPT_WORD, TAKEN_BACK_WORD))
    click.echo(f"  {len(written):,} bytes on disk: '{KEPT_WORD}' {kept} times, '{TAKEN_BACK_WORD}' {forgotten} times")
    promise("no byte of it is left in the files", kept=forgotten == 0 and kept > 0)
