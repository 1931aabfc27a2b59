"""What a `/chat/completions` answer says and took: as OpenAI, GLM, Anthropic-compatible and local servers tell it.

They differ in the usage (`prompt_tokens`, or `input_tokens` with the cached ones apart), in how a refusal is told
(`refusal`, or a `finish_reason` of the provider's own) and in where the words stand (a string, parts, a tool call).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retentive.contracts import Usage

#: `finish_reason` when the provider stopped the answer for what it says: OpenAI, GLM, Anthropic.
_REFUSED = frozenset({"content_filter", "sensitive", "refusal"})
#: `finish_reason` when the answer reached its limit: OpenAI and llama.cpp, Anthropic, GLM.
_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_MOST_TOKENS = 1 << 40  # a count above is no count


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens: of the prompt, of the part of it that was cached, and of the answer.

    >>> Prices(prompt=2.0, cached=0.5, completion=8.0).cost(prompt=1_000_000, cached=500_000, completion=100_000)
    2.05
    """

    prompt: float
    cached: float
    completion: float

    def cost(self, *, prompt: int, cached: int, completion: int) -> float:
        """What a call costs, in US dollars; `cached` is the part of `prompt` that was read from a cache."""
        fresh = (prompt - cached) * self.prompt + cached * self.cached
        return (fresh + completion * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. `usage` is None where the endpoint tells none; `refused` says why there is no answer in it."""

    text: str
    usage: Usage | None
    cut: bool = False
    refused: str | None = None


class Unreadable(ValueError):
    """The body is no chat completion; the message says what it is and repeats nothing of it."""


@dataclass(eq=False)
class ErrorInside(Exception):
    """A 200 whose body says that it failed, as gateways do: with the `status` it should have had, where it says."""

    status: int
    said: bytes


def read_answer(body: bytes) -> Said:
    """The first choice of an answer.

    Raises:
        Unreadable: not UTF-8, not JSON, or without a choice.
        ErrorInside: it holds an error in place of an answer.

    >>> read_answer(b'{"choices": [{"message": {"content": "Hi."}}], "usage": {"prompt_tokens": 9}}').text
    'Hi.'
    """
    answer = _parsed(body)
    choices = answer.get("choices")
    if answer.get("error") and not choices:
        raise ErrorInside(_status_of(answer["error"]), body)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        reason = "answered with JSON that is no chat completion"
        raise Unreadable(reason)
    finish = choice.get("finish_reason")
    return Said(
        text=_tool_arguments(message) or _words(message.get("content")),
        usage=usage_of(answer.get("usage")),
        cut=finish in _CUT,
        refused="refused to answer" if finish in _REFUSED or message.get("refusal") else None,
    )


def priced(usage: Usage, prices: Prices | None) -> Usage:
    """The usage with its cost; None where the prices are not known."""
    tokens = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
    if prices is None:
        return Usage(*tokens)
    return Usage(*tokens, cost=prices.cost(prompt=tokens[0], completion=tokens[1], cached=tokens[2]))


def added(one: Usage, other: Usage) -> Usage:
    """Both together; the cost is None where neither's is known."""
    costs = [usage.cost for usage in (one, other) if usage.cost is not None]
    return Usage(
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
        one.cached_tokens + other.cached_tokens,
        sum(costs) if costs else None,
    )


def _parsed(body: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        reason = "answered with bytes that are no UTF-8"
        raise Unreadable(reason) from error
    except (ValueError, RecursionError) as error:
        reason = "answered with what is no JSON" if body.strip() else "answered with nothing"
        raise Unreadable(reason) from error
    if not isinstance(answer, Mapping):
        reason = "answered with JSON that is no chat completion"
        raise Unreadable(reason)
    return answer


def _status_of(error: Any) -> int:
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def _tool_arguments(message: Mapping[str, Any]) -> str:
    """The arguments of the first tool call, as text: some servers give them as an object."""
    try:
        arguments = message["tool_calls"][0]["function"]["arguments"]
    except (KeyError, IndexError, TypeError):
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _words(content: Any) -> str:
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def usage_of(told: Any) -> Usage | None:
    """What an answer says that it took; None where it says nothing."""
    if not isinstance(told, Mapping):
        return None
    details = told.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    read = _count(told, "cache_read_input_tokens")
    cached = max(_count(details, "cached_tokens"), read, _count(told, "prompt_cache_hit_tokens"))
    prompt = _count(told, "prompt_tokens")
    if not prompt and "input_tokens" in told:  # Anthropic counts what it read from or wrote to its cache apart
        prompt = _count(told, "input_tokens") + read + _count(told, "cache_creation_input_tokens")
    completion = _count(told, "completion_tokens") or _count(told, "output_tokens")
    return Usage(prompt, completion, min(cached, prompt)) if prompt or completion else None


def _count(told: Mapping[str, Any], name: str) -> int:
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS else 0
