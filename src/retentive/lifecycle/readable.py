"""An export as Markdown, for people: the profile, facts by category with what they rest on, and the conversations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from retentive.contracts import Store
from retentive.lifecycle.portable import everything
from retentive.results import Item, episode_item, fact_item
from retentive.types import CURRENT, KEPT_CATEGORIES, Episode, Fact, Partition, SessionInfo, SessionKey, Status

_ALL_SESSIONS = 1_000_000
#: Characters that would be read as Markdown or HTML; a link or an image in a memory stays the text it is.
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&])")
_BEGINS_A_BLOCK = re.compile(r"^(\s*)([-+=]|\d+[.)])")


def escaped(text: str) -> str:
    r"""The text on one line, with nothing in it that Markdown or HTML would act on.

    >>> escaped("see ![x](http://a) <b>")
    'see !\\[x\\](http://a) \\<b\\>'
    """
    plain = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _BEGINS_A_BLOCK.sub(r"\1\\\2", plain)


def markdown_lines(store: Store, partition: Partition) -> Iterator[str]:
    """The whole page, line by line, each with its line end."""
    memories = list(everything(store, partition))
    episodes = {one.id: one for one in memories if isinstance(one, Episode)}
    facts = [one for one in memories if isinstance(one, Fact)]
    yield from (f"{line}\n" for line in _page(partition, facts, episodes, _sessions(store, partition)))


def _sessions(store: Store, partition: Partition) -> list[SessionInfo]:
    return list(reversed(store.sessions(partition, limit=_ALL_SESSIONS)))


def _page(
    partition: Partition, facts: Sequence[Fact], episodes: Mapping[str, Episode], sessions: Sequence[SessionInfo]
) -> Iterator[str]:
    now = [fact for fact in facts if fact.retired_us is None and fact.status in CURRENT]
    yield f"# What is remembered of {escaped(partition.owner)}"
    yield from _facts("Profile", [fact for fact in now if fact.field is not None], episodes)
    for category in KEPT_CATEGORIES:
        named = [fact for fact in now if fact.field is None and fact.category == category]
        yield from _facts(category.replace("_", " ").capitalize(), named, episodes)
    waiting = [fact for fact in facts if fact.retired_us is None and fact.status is Status.PENDING]
    yield from _facts("Waiting for review", waiting, episodes)
    yield from _facts("No longer so", [fact for fact in facts if fact.retired_us is not None], episodes)
    yield from _conversations(sessions, list(episodes.values()))


def _facts(title: str, facts: Sequence[Fact], episodes: Mapping[str, Episode]) -> Iterator[str]:
    if not facts:
        return
    yield from ("", f"## {title}", "")
    for fact in facts:
        item = fact_item(fact)
        yield f"- {escaped(fact.text)} ({'; '.join(_about(item))})"
        for evidence in fact.evidence:
            said = episodes.get(evidence.episode_id)
            when = f" {_day(episode_item(said))}, {escaped(said.name or said.role)}" if said is not None else ""
            yield f"  - “{escaped(evidence.quote)}”{when}"


def _about(item: Item) -> Iterator[str]:
    """When it was so, and what else there is to say of it."""
    yield f"{_day(item)} to {item.valid_to[:10]}" if item.valid_to else f"since {_day(item)}"
    if item.status not in {"active", "superseded"}:
        yield item.status
    if item.seen_count > 1:
        yield f"said {item.seen_count} times"
    if item.evergreen:
        yield "always shown"
    if item.expires_at:
        yield f"until {item.expires_at[:10]}"
    if item.trust == "untrusted":
        yield f"from {escaped(item.source or 'elsewhere')}, not checked"
    if item.reason:
        yield escaped(item.reason)


def _day(item: Item) -> str:
    return (item.local_time or item.timestamp)[:10]


def _conversations(sessions: Sequence[SessionInfo], episodes: Iterable[Episode]) -> Iterator[str]:
    said: dict[SessionKey, list[Episode]] = {session.key: [] for session in sessions}
    for episode in episodes:
        said.setdefault(SessionKey(None) if episode.session_id is None else episode.session_key, []).append(episode)
    summaries = {session.key: session.summary for session in sessions}
    for key, messages in said.items():
        if messages:
            name = "Messages outside any conversation" if key.id is None else f"Conversation {escaped(key.id)}"
            yield from ("", f"## {name}", "")
            summary = summaries.get(key)
            if summary:
                yield from (f"About: {escaped(summary)}", "")
            for message in messages:
                item = episode_item(message)
                when = (item.local_time or item.timestamp)[:16].replace("T", " ")
                yield f"- {when} **{escaped(message.name or message.role)}**: {escaped(message.text)}"
