"""Does tuning on one half of a labelled file lift the other half, and is it refused when labels are shuffled?

The conversations are dealt to two halves in turn. On the first a ranking is chosen, if there is one, and measured on
the second, which it never saw; then the first half's labels are shuffled among the queries of each conversation.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from retentive.arms import ranking_of
from retentive.config import Settings
from retentive.importers.labelled import Labelled, read_labelled
from retentive.memory import Memory
from retentive.tune import Asked, Example, Outcome, gather, tune
from retentive.tune.choose import compare, shuffled


@dataclass(frozen=True, slots=True)
class Report:
    """What tuning on the first half came to, what that brings to the other half, and to shuffled labels."""

    data: str
    first: Outcome
    other: Outcome | None
    shuffled: Outcome

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.data}, first half"
        yield from self.first.lines()
        if self.other is not None:
            yield "the other half, with what was chosen"
            yield from self.other.lines()
        yield "the first half with its labels shuffled"
        yield from self.shuffled.lines()


def measure(path: Path, settings: Settings, advance: Callable[[int], None] = lambda _: None, seed: int = 7) -> Report:
    """Tune on one half and measure on the other; `advance` is told of each conversation. Raises ImportFailed."""
    halves: tuple[list[Example], list[Example]] = ([], [])
    for number, conversation in enumerate(read_labelled(path)):
        halves[number % 2].extend(_examples(conversation, settings))
        advance(1)
    current = ranking_of(settings.ranking)
    first = tune(halves[0], current, seed=seed)
    other = None if first.ranking is None else compare(halves[1], current, first.ranking, seed=seed)
    return Report(path.name, first, other, tune(shuffled(halves[0], seed=seed), current, seed=seed))


def _examples(conversation: Labelled, settings: Settings) -> list[Example]:
    asked = [Asked(query.text, query.gold_ids) for query in conversation.queries if query.visible is None]
    with (
        tempfile.TemporaryDirectory(prefix="retentive-bench-") as folder,
        Memory.open(
            Path(folder) / "memory.db", settings=replace(settings, ranking="context"), background=False
        ) as memory,
    ):
        mine = memory.scope(user_id=f"bench-{conversation.id}")
        for session in conversation.sessions:
            mine.record(session.messages, session.session_id)
        memory.process()
        return gather(mine, asked, pool=conversation.id, by_query=False, tiers=("episodic",))
