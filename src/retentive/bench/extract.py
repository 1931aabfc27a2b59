"""Do stored facts cite what people said of themselves, without filling the store with junk?

The data is labelled: `{"id", "messages": [{"id", "session", "ts", "speaker", "text"}], "queries": [{"gold_ids"}]}`, one
conversation a line. Messages are given to an extractor in batches of ten of one session, as the product does.

- **durable evidence**: a message some query needs, which has a sentence of four or more words that is no question and
  holds a word of the first person. This rule shares no pattern with any extractor.
- **cited**: the share of durable evidence that at least one fact quotes.
- **junk**: facts that a rule finds worthless; see `junk_reason`. **unsupported**: facts whose quote is not in their
  message. Both as shares of all facts.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from retentive.clock import parse_timestamp
from retentive.contracts import Candidate, Extractor
from retentive.errors import ImportFailed
from retentive.types import BLOCK_NOTE, Episode

BATCH: Final = 10
SAMPLE: Final = 100
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours|"
    r"ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2}|yo|mi|mis|me|nosotros|nuestr\w{1,2}|je|j'\w+|moi|mon|ma|mes|nous|notre|nos|"
    r"io|mio|mia|miei|noi|eu|meu|minha|n[oó]s)\b|我|咱|私|僕|俺",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_NOTE: Final = re.compile(r"\[[^\]]*\]")
_GREETING: Final = re.compile(
    r"^\W*(?:hi|hello|hey|thanks|thank you|bye|good (?:morning|night|luck)|congrat\w*|see you|hallo|danke|tsch[uü]ss|"
    r"hola|gracias|"
    r"adi[oó]s|bonjour|merci|salut|ciao|grazie|ol[aá]|obrigad[oa]|你好|谢谢|再见|こんにちは|ありがとう)(?:[\s,]+\w+){0,3}\W*$",
    re.IGNORECASE,
)
_NO_REFERENT: Final = re.compile(
    r"^\W*(?:it|this|that|these|those|they|he|she|them|es|das|sie|er|eso|esto|ella|él|ça|cela|il|elle|ils|它|这|那|他|她|それ|これ)\b",
    re.IGNORECASE,
)
_MACHINE: Final = re.compile(
    r"\b(?:heartbeat|HEARTBEAT_OK|ping|pong|you are an? (?:\w+ ){0,3}(?:assistant|agent|model))\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One fact drawn for reading, with the message it came from."""

    text: str
    category: str
    importance: float
    quote: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it. Shares are percentages; `junk` counts by kind; `drawn` are facts chosen by seed."""

    data: str
    extractor: str
    messages: int
    facts: int
    durable_evidence: int
    cited: float
    facts_per_100: float
    junk_share: float
    junk: Mapping[str, int]
    unsupported_share: float
    refused: Mapping[str, int]
    messages_per_cpu_s: float
    drawn: tuple[Drawn, ...]

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield f"{self.data}: {self.messages:,} messages, {self.facts:,} facts by {self.extractor}"
        yield f"cited              {self.cited:6.1f} % of {self.durable_evidence:,} messages of durable evidence"
        yield f"facts per 100      {self.facts_per_100:6.1f} messages"
        yield f"junk by rules      {self.junk_share:6.1f} %  {dict(self.junk)}"
        yield f"unsupported        {self.unsupported_share:6.1f} %"
        yield f"refused            {dict(self.refused)}"
        yield f"speed              {self.messages_per_cpu_s:6,.0f} messages per CPU second"


def run(path: Path, extractor: Extractor, *, seed: int = 7) -> Report:
    """Extract from every conversation of a labelled file and report; `seed` chooses the facts drawn for reading."""
    facts: list[tuple[Candidate, Episode]] = []
    refused: Counter[str] = Counter()
    evidence: set[str] = set()
    messages, seconds = 0, 0.0
    for conversation in _load(path):
        episodes = [_episode(m, conversation["id"]) for m in conversation["messages"]]
        by_id = {episode.id: episode for episode in episodes}
        evidence |= _durable_evidence(conversation, by_id)
        messages += len(episodes)
        for batch in _batches(episodes):
            begun = time.thread_time()
            extraction = extractor.extract(batch)
            seconds += time.thread_time() - begun
            facts += [(c, by_id[c.episode_id]) for c in extraction.candidates]
            refused.update(extraction.refused)
    cited = evidence & {candidate.episode_id for candidate, _ in facts}
    junk = Counter(reason for candidate, _ in facts if (reason := junk_reason(candidate.text)))
    unsupported = sum(candidate.quote not in episode.text for candidate, episode in facts)
    return Report(
        data=path.name,
        extractor=extractor.version,
        messages=messages,
        facts=len(facts),
        durable_evidence=len(evidence),
        cited=_percent(len(cited), len(evidence)),
        facts_per_100=_percent(len(facts), messages),
        junk_share=_percent(junk.total(), len(facts)),
        junk=dict(junk),
        unsupported_share=_percent(unsupported, len(facts)),
        refused=dict(refused),
        messages_per_cpu_s=messages / seconds if seconds else 0.0,
        drawn=_drawn(facts, seed),
    )


def write_drawn(report: Report, path: Path) -> None:
    """Write the drawn facts for reading, one JSON object a line."""
    rows = [
        {"text": d.text, "category": d.category, "importance": d.importance, "quote": d.quote, "message": d.message}
        for d in report.drawn
    ]
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


# -- the rules of measurement ------------------------------------------------------------------------------------------
def states_something_durable(text: str) -> bool:
    """Whether a message has a sentence of the first person that is no question and has four words or more.

    >>> states_something_durable("How are you? I moved to Ghent last week."), states_something_durable("How do I look?")
    (True, False)
    """
    parts = [part.strip() for part in _SENTENCE.findall(_NOTE.sub(" ", text.replace("’", "'")))]
    return any(not part.endswith(("?", "？")) and _long_enough(part) and _FIRST_PERSON.search(part) for part in parts)


def _long_enough(sentence: str) -> bool:
    return len(sentence.split()) >= 4 or (not sentence.isascii() and len(sentence) >= 6)


def junk_reason(fact: str) -> str | None:
    """Why a fact is worthless, or None.

    >>> junk_reason("It was great."), junk_reason("Ana moved to Ghent.")
    ('no referent', None)
    """
    kinds = (
        ("our own block", BLOCK_NOTE in fact or re.search(r"</?MEMORY>", fact)),
        ("system text or heartbeat", _MACHINE.search(fact)),
        ("question", fact.rstrip(" \"')").endswith(("?", "？"))),
        ("greeting", _GREETING.match(fact)),
        ("no referent", _NO_REFERENT.match(fact)),
        ("under three words", len(fact.split()) < 3 and fact.isascii()),
    )
    return next((reason for reason, holds in kinds if holds), None)


# -- reading the data --------------------------------------------------------------------------------------------------
def _load(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        message = f"{path.name} is no gzipped file of JSON lines: {error}"
        raise ImportFailed(message) from error


def _episode(message: Mapping[str, Any], conversation_id: str) -> Episode:
    speaker = message["speaker"]
    role = speaker if speaker in {"user", "assistant", "system", "tool"} else "user"
    stamp = message.get("ts") or "2024-01-01T00:00:00"
    zoned = stamp if stamp.endswith("Z") or "+" in stamp[10:] else f"{stamp}Z"
    timestamp_us, zone_min = parse_timestamp(zoned)
    return Episode(
        id=f"{conversation_id}:{message['id']}",
        text=message["text"],
        timestamp_us=timestamp_us,
        recorded_us=timestamp_us,
        zone_min=zone_min,
        role=role,
        name=speaker,
        session_id=str(message["session"]),
        trust="user" if role == "user" else "untrusted" if role == "tool" else role,
    )


def _batches(episodes: Sequence[Episode]) -> Iterator[Sequence[Episode]]:
    sessions: dict[str | None, list[Episode]] = {}
    for episode in episodes:
        sessions.setdefault(episode.session_id, []).append(episode)
    for session in sessions.values():
        for start in range(0, len(session), BATCH):
            yield session[start : start + BATCH]


def _durable_evidence(conversation: Mapping[str, Any], by_id: Mapping[str, Episode]) -> set[str]:
    """Ids of messages that some query needs, that a person wrote, and that state something durable."""
    gold = {f"{conversation['id']}:{gold_id}" for query in conversation["queries"] for gold_id in query["gold_ids"]}
    return {i for i in gold if i in by_id and by_id[i].role == "user" and states_something_durable(by_id[i].text)}


def _drawn(facts: Sequence[tuple[Candidate, Episode]], seed: int) -> tuple[Drawn, ...]:
    chosen = random.Random(seed).sample(facts, min(SAMPLE, len(facts)))  # noqa: S311  a draw for reading
    return tuple(Drawn(c.text, c.category, c.importance, c.quote, e.text) for c, e in chosen)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
