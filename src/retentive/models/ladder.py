"""How an endpoint is asked for JSON, and what it has been found to take.

No two endpoints agree: OpenAI takes a JSON schema, others only a tool call, GLM only "some JSON object", and some
nothing but words. So each is asked in the best way first and in the next one where it refuses or answers with what is
no JSON; what it took is remembered for as long as the process lives.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Any, Literal

from retentive.models.http import AttemptFailed, own_words
from retentive.models.schema import Schema, is_strict, without_lengths

Messages = Sequence[Mapping[str, str]]
CacheHint = Literal["cache_control", "prompt_cache_key"]


class Rung(StrEnum):
    """Ways of asking for JSON, the surest first."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class _Host:
    """What the documentation of a host says that it takes."""

    rungs: tuple[Rung, ...] = tuple(Rung)
    dropped: frozenset[str] = frozenset()
    cache: CacheHint | None = None


_GLM = _Host((Rung.JSON_OBJECT, Rung.PROMPT), frozenset({"schema"}))  # no schema, and no tool can be forced
_HOSTS: Mapping[str, _Host] = {
    "api.openai.com": _Host(cache="prompt_cache_key"),
    "api.anthropic.com": _Host((Rung.TOOL, Rung.PROMPT), cache="cache_control"),  # `response_format` is ignored
    "open.bigmodel.cn": _GLM,
    "api.z.ai": _GLM,
}
#: What some endpoints refuse, and a call can do without; `schema` is sent beside `json_object` only.
_DROPPABLE = ("prompt_cache_key", "cache_control", "temperature", "max_tokens", "maxlength", "schema")
_TOOL_NAME = "answer"
_DOUBTS = 2  # after so many doubts a rung is left out

_UNKNOWN_PARAMETER = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra|not permitted|not allowed"
)
_TOO_LONG = re.compile(r"context.?(?:length|window|size)|maximum context|too many tokens|too long|exceed")
_FILTERED = re.compile(r"content.?(?:filter|management|policy)|sensitive|敏感|不安全|\b1301\b")
_FORMAT = re.compile(
    r"response_format|json.?schema|json.?object|structured|grammar|\btools?\b|tool_choice|function|strict"
)


class Ladder:
    """What one endpoint takes: by what is documented of its host, then learnt from it. Safe to share between threads.

    >>> ladder = Ladder("llm.example.com")
    >>> refusal = AttemptFailed("answered 400", status=400, said=b'{"error": "response_format is not supported"}')
    >>> ladder.after_refusal(ladder.top(), refusal).value
    'tool'
    >>> ladder.top().value
    'tool'
    """

    def __init__(self, host: str, rungs: Sequence[Rung] | None = None, cache: CacheHint | None = None) -> None:
        known = _HOSTS.get(host, _Host())
        wanted = known.rungs if rungs is None else rungs
        self._rungs = (*(rung for rung in wanted if rung is not Rung.PROMPT), Rung.PROMPT)  # words are always taken
        self._cache = cache or known.cache
        self._lock = threading.Lock()
        self._doubts: dict[Rung, int] = {}
        self._proven: set[Rung] = set()
        self._dropped: set[str] = set(known.dropped)

    def top(self) -> Rung:
        """The best way that is not known to fail."""
        with self._lock:
            return next((rung for rung in self._rungs[:-1] if self._doubts.get(rung, 0) < _DOUBTS), self._rungs[-1])

    def below(self, rung: Rung) -> Rung | None:
        """The next best way after this one, or None."""
        with self._lock:
            after = self._rungs[self._rungs.index(rung) + 1 :]
            good = [one for one in after[:-1] if self._doubts.get(one, 0) < _DOUBTS]
            return good[0] if good else next(iter(after[-1:]), None)

    def is_unproven(self, rung: Rung) -> bool:
        """Whether an answer this way has never been good, and there is another way to try."""
        return rung not in self._proven and self.below(rung) is not None

    def worked(self, rung: Rung, refused: Sequence[Rung] = ()) -> None:
        """An answer was good, after the endpoint had refused those other ways for no reason that it gave."""
        with self._lock:
            self._proven.add(rung)
            self._doubts.pop(rung, None)
            for other in refused:
                self._doubts[other] = self._doubts.get(other, 0) + 1

    def doubted(self, rung: Rung) -> None:
        """An answer held no JSON that fits, although it was asked for in this way."""
        with self._lock:
            if rung not in self._proven:
                self._doubts[rung] = self._doubts.get(rung, 0) + 1

    def after_refusal(self, rung: Rung, refusal: AttemptFailed) -> Rung | None:
        """The way to ask after this refusal, which may be the same with less in it; None where none would help."""
        words = _words_of(refusal)
        if refusal.status in {400, 422}:
            if _FILTERED.search(words) or _TOO_LONG.search(words):
                return None
            if self._drop_named(words, rung):
                return rung
        if refusal.status in {400, 404, 405, 415, 422, 501} and _FORMAT.search(words):
            with self._lock:
                self._doubts[rung] = _DOUBTS
                self._proven.discard(rung)
            return self.below(rung)
        unexplained = refusal.status in {400, 422, 500, 501}  # llama-cpp-python answers 500 to a JSON schema
        return self.below(rung) if unexplained and self.is_unproven(rung) else None

    def _drop_named(self, words: str, rung: Rung) -> bool:
        """Leave out, from now on, a parameter that the endpoint names as one it does not know."""
        if not _UNKNOWN_PARAMETER.search(words):
            return False
        sent = _DROPPABLE if rung is Rung.JSON_OBJECT else _DROPPABLE[:-1]
        with self._lock:
            named = [name for name in sent if re.search(rf"\b{name}\b", words) and name not in self._dropped]
            self._dropped.update(named[:1])
            return bool(named)

    # -- the request -------------------------------------------------------------------------------------------------
    def body(
        self, rung: Rung, model: str, messages: Messages, schema: Schema | None, max_tokens: int
    ) -> dict[str, Any]:
        """The request's JSON for this way of asking."""
        with self._lock:
            dropped = frozenset(self._dropped)
        in_words = schema is not None and rung in {Rung.JSON_OBJECT, Rung.PROMPT}
        said = _with_schema(messages, schema) if in_words and schema is not None else [dict(one) for one in messages]
        if schema is not None and "maxlength" in dropped:
            schema = without_lengths(schema)
        limit = "max_completion_tokens" if "max_tokens" in dropped else "max_tokens"
        body: dict[str, Any] = {"model": model, "messages": said, limit: max_tokens}
        if "temperature" not in dropped:
            body["temperature"] = 0
        if self._cache is not None and self._cache not in dropped:
            hint(body, said, self._cache)
        if schema is not None:
            body |= _format(rung, schema, schema_in_object="schema" not in dropped)
        return body


def _words_of(refusal: AttemptFailed) -> str:
    """The endpoint's words, with the code and the parameter it names, in small letters."""
    try:
        error = json.loads(refusal.said)["error"]
        named = [str(error.get(name) or "") for name in ("code", "param", "type")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        named = []
    words = own_words(refusal.said) or refusal.said[:2000].decode("utf-8", "replace")
    return " ".join([words[:2000], *named]).lower()


def _format(rung: Rung, schema: Schema, *, schema_in_object: bool) -> dict[str, Any]:
    if rung is Rung.JSON_SCHEMA:
        asked = {"name": _TOOL_NAME, "schema": schema, "strict": is_strict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": asked}}
    if rung is Rung.TOOL:
        function = {"name": _TOOL_NAME, "description": "Give the answer.", "parameters": schema}
        choice = {"type": "function", "function": {"name": _TOOL_NAME}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    if rung is Rung.JSON_OBJECT:  # llama.cpp's servers hold the answer to a schema beside the type
        return {"response_format": {"type": "json_object"} | ({"schema": schema} if schema_in_object else {})}
    return {}


def _with_schema(messages: Messages, schema: Schema) -> list[dict[str, Any]]:
    """The messages with the schema in words, at the end of the first system message: it is the same in every call."""
    words = (
        "Answer with one JSON value that fits this JSON schema, and with nothing before or after it:\n"
        + json.dumps(schema, ensure_ascii=False)
    )
    said: list[dict[str, Any]] = [dict(one) for one in messages]
    if said and said[0]["role"] == "system":
        said[0]["content"] = f"{said[0]['content']}\n\n{words}"
        return said
    return [{"role": "system", "content": words}, *said]


def cache_hint_of(host: str) -> CacheHint | None:
    """How a host is told which part of a prompt stays the same; None where it is not known to listen.

    >>> cache_hint_of("api.anthropic.com")
    'cache_control'
    """
    return _HOSTS.get(host, _Host()).cache


def hint(body: dict[str, Any], said: list[dict[str, Any]], cache: CacheHint) -> None:
    """Say which part of the prompt is the same in every call: the system messages it begins with."""
    stable = list(takewhile(lambda one: one["role"] in {"system", "developer"}, said))
    if not stable:
        return
    if cache == "cache_control":
        content = stable[-1]["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        said[len(stable) - 1]["content"] = [*parts[:-1], {**parts[-1], "cache_control": {"type": "ephemeral"}}]
    else:
        words = "\0".join(str(one["content"]) for one in stable)
        body["prompt_cache_key"] = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]
