"""Whether facts still hold, judged by what was heard since: by rules, or by a language model that must quote."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from retentive.clock import local_time
from retentive.contracts import Candidate, Model
from retentive.errors import ModelBadReply
from retentive.extract.guard import guard
from retentive.fading import since_us
from retentive.lifecycle.heard import may_speak_of
from retentive.policy import without_own_block
from retentive.prompts import load_prompt
from retentive.reconcile import Neighbour, reconcile
from retentive.statement import parse_statement
from retentive.summary import sentences_of
from retentive.types import Episode, Evidence, Fact

Judgement = Literal["confirm", "supersede", "dispute", "unknown"]
_READ_CHARS: Final = 600
_TEXT_CHARS: Final = 240
_QUOTE_CHARS: Final = 300
_LINE_ENDS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was heard of a fact; `said` is the message that shows it, `text` what it says instead."""

    fact: Fact
    judgement: Judgement
    said: Episode | None = None
    quote: str = ""
    text: str = ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The words that show it."""
        return () if self.said is None else (Evidence(self.said.id, self.quote),)


def by_rules(fact: Fact, heard: Sequence[Episode]) -> Verdict:
    """The newest sentence that says the same, or says something else of the same; `unknown` without one."""
    known = Neighbour(fact.id, fact.text, fact.category, fact.field, "active", parse_statement(fact.text), 0.0)
    for episode in reversed(heard):
        for sentence in sentences_of(episode):
            action = reconcile(sentence, parse_statement(sentence), [known]).action
            if action in {"confirm", "supersede", "dispute"}:
                judgement: Judgement = "confirm" if action == "confirm" else "dispute"
                return Verdict(fact, "supersede" if action == "supersede" else judgement, episode, sentence, sentence)
    return Verdict(fact, "unknown")


def model_version(model: Model) -> str:
    """The prompt and the model: what stands in the provenance of what they found."""
    return f"model-{load_prompt('verify').version}-{model.name}"


def by_model(
    model: Model, heard: Sequence[tuple[Fact, Sequence[Episode]]], redact: Callable[[str], str]
) -> list[Verdict]:
    """A verdict on each fact, in one call.

    Raises ModelError: the model could not be asked, or its answer leaves a fact out or cites what was not said.
    """
    episodes = {episode.id: episode for _, found in heard for episode in found}
    numbered = {str(n): episode for n, episode in enumerate(episodes.values(), 1)}
    lines = [_fact_line(str(n), fact) for n, (fact, _) in enumerate(heard, 1)]
    lines += [_message_line(n, episode) for n, episode in numbered.items()]
    messages = [
        {"role": "system", "content": load_prompt("verify").text},
        {"role": "user", "content": "\n".join(lines)},
    ]
    data = model.complete(messages, schema=reply_schema(len(heard)), max_tokens=200 * len(heard) + 200).data
    answers = {str(answer["fact"]).strip(): answer for answer in data["verdicts"]}
    return [_verdict(fact, answers.get(str(n)), numbered, redact) for n, (fact, _) in enumerate(heard, 1)]


def reply_schema(facts: int) -> dict[str, Any]:
    """The JSON schema of an answer: closed and all of it required, as strict decoding wants it.

    >>> list(reply_schema(5)["properties"])
    ['verdicts']
    """
    properties = {
        "fact": {"type": "string", "maxLength": 8},
        "verdict": {"type": "string", "enum": ["confirm", "supersede", "dispute", "unknown"]},
        "episode": {"type": "string", "maxLength": 8},
        "quote": {"type": "string", "maxLength": _QUOTE_CHARS},
        "text": {"type": "string", "maxLength": _TEXT_CHARS},
    }
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    verdicts = {"type": "array", "items": item, "maxItems": facts}
    return {
        "type": "object",
        "properties": {"verdicts": verdicts},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def _fact_line(number: str, fact: Fact) -> str:
    day = local_time(since_us(fact), fact.zone_min).date().isoformat()
    return _json({"fact": number, "text": fact.text, "since": day})


def _message_line(number: str, episode: Episode) -> str:
    said = local_time(episode.timestamp_us, episode.zone_min).strftime("%a %Y-%m-%d %H:%M")
    speaker = f"{episode.name} ({episode.role})" if episode.name else episode.role
    text = without_own_block(episode.text)[:_READ_CHARS].strip()
    return _json({"episode": number, "time": said, "speaker": speaker, "text": text})


def _json(shown: Mapping[str, str]) -> str:
    """One line, so that no text can look like another."""
    return json.dumps(shown, ensure_ascii=False).translate(_LINE_ENDS)


def _verdict(
    fact: Fact, answer: Mapping[str, Any] | None, numbered: Mapping[str, Episode], redact: Callable[[str], str]
) -> Verdict:
    if answer is None:
        message = "a fact was left without a verdict: nothing was changed"
        raise ModelBadReply(message)
    judgement: Judgement = answer["verdict"]
    if judgement == "unknown":
        return Verdict(fact, "unknown")
    text = fact.text if judgement == "confirm" else redact(" ".join(answer["text"].split()))
    episode = numbered.get(answer["episode"].strip())
    speaks = episode is not None and may_speak_of(episode, fact)  # it may be one that was shown for another fact
    candidates = [Candidate(text, episode.id, answer["quote"].strip())] if episode is not None and speaks else []
    kept, _ = guard(candidates, list(numbered.values()), redact=redact)
    if not kept:
        message = "a verdict cites nothing that was said since, or says nothing itself: nothing was changed"
        raise ModelBadReply(message)
    return Verdict(fact, judgement, episode, kept[0].quote, text)
