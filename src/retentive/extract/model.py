"""Extraction by a language model: one call a batch, and nothing taken on trust.

The model sees messages as JSON lines under short numbers, so no text can leave its place and no id costs tokens. What
it answers passes the same guard as what rules find: a quote that is not in its message is refused, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from retentive.clock import local_time
from retentive.contracts import Candidate, Extraction, Extractor, Model
from retentive.extract.guard import MAX_FACT_CHARS, guard
from retentive.policy import extractable, without_own_block
from retentive.prompts import load_prompt
from retentive.types import CATEGORIES, Episode

#: Facts a batch of ten messages may bring; ten times what a conversation holds.
MAX_CANDIDATES: Final = 30
_READ_CHARS: Final = 4_000
"""Characters of a message that the model sees: a longer one is pasted, and would crowd out the others."""
#: What the model is held to where its server can: small models go on and on. Nothing longer is refused for it here.
_SUMMARY_CHARS: Final = 240
_QUOTE_CHARS: Final = 300
_TEXT_CHARS: Final = 240
_NOT_READ: Final = "end of a long message not read"
#: Characters that end a line for some, and that JSON lets stand in a string.
_LINE_ENDS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
_FIELDS: Final = ("name", "pronouns", "role", "company", "location", "language", "timezone", "tone", "diet", "birthday")


class ModelExtractor(Extractor):
    """Candidates and a summary by a language model.

    Args:
        model: asked once for each batch that holds anything to read.
        fields: the profile's fields that a fact may be.
        redact: gives a text back without what must not be kept; candidates it would change are refused, and the summary
            is given as it leaves it.
        max_candidates: of one batch.
        max_tokens: of one answer.
        timeout_s: of one call.
    """

    def __init__(
        self,
        model: Model,
        *,
        fields: Sequence[str] = _FIELDS,
        redact: Callable[[str], str] = str,
        max_candidates: int = MAX_CANDIDATES,
        max_tokens: int = 2_048,
        timeout_s: float = 120.0,
    ) -> None:
        self._model = model
        #: The prompt and the model: other words, or another model, may find other facts.
        self.version = f"model-{load_prompt('extract').version}-{model.name}"
        self._fields = tuple(fields)
        self._redact = redact
        self._max_tokens, self._timeout_s = max_tokens, timeout_s
        self.schema = reply_schema(self._fields, max_candidates)

    def extract(self, episodes: Sequence[Episode]) -> Extraction:
        """Candidates of a batch; no call is made where no message may be read.

        Raises:
            ModelError: the model could not be asked, answered badly, or its limit is used up. Nothing is lost: the
                episodes are kept and may be read again.
        """
        read = {str(number): episode for number, episode in enumerate(filter(extractable, episodes), 1)}
        if not read:
            return Extraction()
        reply = self._model.complete(
            self._messages(read), schema=self.schema, max_tokens=self._max_tokens, timeout_s=self._timeout_s
        )
        found = [_candidate(item, read) for item in reply.data["candidates"]]
        unique = list({(candidate.episode_id, candidate.text.casefold()): candidate for candidate in found}.values())
        kept, refused = guard(unique, episodes, redact=self._redact)
        counts = Counter(refused)
        counts["said twice"] += len(found) - len(unique)
        counts[_NOT_READ] += sum(len(episode.text) > _READ_CHARS for episode in read.values())
        summary = self._redact(" ".join(reply.data["summary"].split())[:_SUMMARY_CHARS])
        return Extraction(kept, summary or None, {why: n for why, n in counts.items() if n}, reply.usage)

    def _messages(self, read: Mapping[str, Episode]) -> list[dict[str, str]]:
        """What never changes first, so that a provider can keep it; then the batch."""
        rules = load_prompt("extract").filled(categories=", ".join(CATEGORIES), fields=", ".join(self._fields))
        lines = "\n".join(_line(number, episode) for number, episode in read.items())
        return [{"role": "system", "content": rules}, {"role": "user", "content": lines}]


def reply_schema(fields: Sequence[str], max_candidates: int) -> dict[str, Any]:
    """The JSON schema of an answer: closed and all of it required, as strict decoding wants it.

    Shares are whole percents: servers that hold a model to a schema know no bounds of fractions. The summary stands
    first, so that a model that loses its thread has said it by then.

    >>> list(reply_schema(["name"], 5)["properties"])
    ['summary', 'candidates']
    """
    percent = {"type": "integer", "minimum": 0, "maximum": 100}
    properties: dict[str, Any] = {
        "episode": {"type": "string", "maxLength": 8},
        "quote": {"type": "string", "maxLength": _QUOTE_CHARS},
        "text": {"type": "string", "maxLength": _TEXT_CHARS},
        "category": {"type": "string", "enum": list(CATEGORIES)},
        "field": {"type": ["string", "null"], "enum": [*fields, None]},
        "confidence": percent,
        "importance": percent,
        "evergreen": {"type": "boolean"},
    }
    candidate = _closed(properties)
    candidates = {"type": "array", "items": candidate, "maxItems": max_candidates}
    return _closed({"summary": {"type": "string", "maxLength": _SUMMARY_CHARS}, "candidates": candidates})


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _line(number: str, episode: Episode) -> str:
    """A message as the model sees it: JSON, so that no text can look like another line."""
    said = local_time(episode.timestamp_us, episode.zone_min)
    shown = {
        "episode": number,
        "time": said.strftime("%a %Y-%m-%d %H:%M"),
        "speaker": f"{episode.name} ({episode.role})" if episode.name else episode.role,
        "text": without_own_block(episode.text)[:_READ_CHARS].strip(),
    }
    return json.dumps(shown, ensure_ascii=False).translate(_LINE_ENDS)


def _candidate(item: Mapping[str, Any], read: Mapping[str, Episode]) -> Candidate:
    """A candidate as the model gave it; an episode it invented keeps its number, and the guard refuses it."""
    episode = read.get(item["episode"].strip())
    return Candidate(
        text=" ".join(item["text"].split())[: MAX_FACT_CHARS + 1],
        episode_id=item["episode"] if episode is None else episode.id,
        quote=item["quote"].strip(),
        category=item["category"],
        field=item["field"],
        confidence=item["confidence"] / 100,
        importance=item["importance"] / 100,
        evergreen=item["evergreen"],
    )
