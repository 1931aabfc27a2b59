"""Two semantic tiers side by side: which facts only one of them has, and which say another thing. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retentive.results import Item, fact_item
from retentive.types import CURRENT, Fact


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that a rebuild adds (`before` is None), loses (`after` is None) or changes, and whose it is."""

    owner: str
    before: Item | None
    after: Item | None


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild would do, or did.

    extractor: its version. state: `compared`, `promoted`, `discarded` or `restored`. read: messages read, of those in
    the log; unread: those a model answered badly on, with the reasons in `errors`. before, after: current facts. same:
    facts that stand as they did; kept: facts that no rebuild touches. calls, tokens, cost (US dollars, None where no
    price is known): what reading took, by the ledger.
    """

    extractor: str
    state: str
    read: int = 0
    unread: int = 0
    before: int = 0
    after: int = 0
    same: int = 0
    kept: int = 0
    added: tuple[Difference, ...] = ()
    lost: tuple[Difference, ...] = ()
    changed: tuple[Difference, ...] = ()
    calls: int = 0
    tokens: int = 0
    cost: float | None = None
    errors: tuple[str, ...] = ()


def compared(owner: str, before: Sequence[Fact], after: Sequence[Fact], report: RebuildReport) -> RebuildReport:
    """Add to `report` what became of the current facts of one owner."""
    old, new = _current(before), _current(after)
    same = {fact.digest for fact in old} & {fact.digest for fact in new}
    lost, added = [f for f in old if f.digest not in same], [f for f in new if f.digest not in same]
    changed: list[Difference] = []
    for fact in list(lost):
        other = next((one for one in added if _speak_of_one_thing(fact, one)), None)
        if other is not None:
            lost.remove(fact)
            added.remove(other)
            changed.append(Difference(owner, fact_item(fact), fact_item(other)))
    return replace(
        report,
        before=report.before + len(old),
        after=report.after + len(new),
        same=report.same + len(old) - len(lost) - len(changed),
        added=(*report.added, *(Difference(owner, None, fact_item(fact)) for fact in added)),
        lost=(*report.lost, *(Difference(owner, fact_item(fact), None) for fact in lost)),
        changed=(*report.changed, *changed),
    )


def _current(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.retired_us is None and fact.status in CURRENT]


def _speak_of_one_thing(one: Fact, other: Fact) -> bool:
    """The same profile field, the same words of the same message, or the same attribute of the same subject."""
    if (one.agent_id, one.project_id) != (other.agent_id, other.project_id):
        return False
    if one.field is not None or other.field is not None:
        return one.field == other.field
    if set(_words(one)) & set(_words(other)):
        return True
    return one.attribute is not None and (one.subject, one.attribute) == (other.subject, other.attribute)


def _words(fact: Fact) -> Iterator[tuple[str, str]]:
    """Message and quote of each piece of evidence, and the quote's sentence without its ends."""
    for evidence in fact.evidence:
        yield evidence.episode_id, " ".join(evidence.quote.split()).strip(" .,!?;:").casefold()
