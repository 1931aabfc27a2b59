"""A language model behind endpoints that speak OpenAI's `/chat/completions`: OpenAI, GLM, gateways, local servers.

One call has one deadline, a bounded number of requests, and one of three ends: a reply that fits what was asked for, an
outage that says when to come back, or a bad reply that says what was wrong with it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from retentive.contracts import Model, Reply, Usage
from retentive.errors import ConfigError
from retentive.models.failures import CallBadReply, CallUnavailable
from retentive.models.http import AttemptFailed, HttpEndpoint, TooLarge, repeated
from retentive.models.ladder import CacheHint, Ladder, Messages, Rung
from retentive.models.repair import NoValue, find_value
from retentive.models.replies import ErrorInside, Prices, Said, Unreadable, added, priced, read_answer
from retentive.models.schema import Schema, first_problem, without_lengths
from retentive.models.tokens import EstimatedTokenCounter

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger("retentive")

_LARGEST_REPLY = 4 << 20  # bytes: a hundred times what a batch's answer takes
_ECHO_CHARS = 120  # of a message: an answer that repeats so much of it is no answer
_SHORTEST_ECHO = 40
_CUT_OFF = "it was cut off"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One place to ask, and how.

    Args:
        url: without `/chat/completions`, and used as it is: it ends in `/v1` where the endpoint's does.
        model: the model's name there.
        api_key: sent as a bearer token; in no repr, no error and no log.
        headers: more headers, such as a gateway's `x-cache-ttl`; treated like the key.
        timeout_s: for one request.
        max_retries: further requests after 408, 429, 5xx, a time-out or a lost connection.
        prices: US dollars a million tokens; without them the cost of a call is not known.
        rungs: the ways of asking for JSON that it takes; default by host, all of them for an unknown one.
        cache: how to tell it which part of the prompt stays: Anthropic's `cache_control` or OpenAI's
            `prompt_cache_key`; default by host, none for an unknown one.
    """

    url: str
    model: str
    api_key: str | None = dataclass_field(default=None, repr=False)
    headers: Mapping[str, str] = dataclass_field(default_factory=dict, repr=False)
    timeout_s: float = 60.0
    max_retries: int = 2
    prices: Prices | None = None
    rungs: tuple[Rung, ...] | None = None
    cache: CacheHint | None = None


class OpenAICompatibleModel(Model):
    """The first endpoint that answers, of a chain. Safe to share between threads.

    An endpoint that is busy, down, slow or refuses is followed by the next one. Each has at least its equal share of
    the call's time. A reply that is not what was asked for is asked for once more, with what was wrong.

    Args:
        endpoints: at least one; the first is asked first.
        transport: an httpx2 transport to send with, for a proxy or a private certificate authority.

    Raises:
        ConfigError: there is no endpoint, or one that cannot be asked.

    >>> OpenAICompatibleModel([Endpoint("https://api.openai.com/v1", "gpt-5-mini", api_key="sk-secret")])
    OpenAICompatibleModel('gpt-5-mini' at https://api.openai.com)
    """

    def __init__(self, endpoints: Sequence[Endpoint], *, transport: httpx2.BaseTransport | None = None) -> None:
        if not endpoints:
            message = "a model needs at least one endpoint"
            raise ConfigError(message)
        self.name = endpoints[0].model
        self._lines = [_Line(endpoint, transport) for endpoint in endpoints]

    def __repr__(self) -> str:
        return f"OpenAICompatibleModel({', '.join(map(str, self._lines))})"

    def complete(
        self,
        messages: Messages,
        *,
        schema: Schema | None = None,
        max_tokens: int = 1024,
        timeout_s: float = 60.0,
    ) -> Reply:
        """Ask for an answer; with `schema`, of an object, for a JSON value that fits it. See Model.complete.

        `timeout_s` bounds the whole call, its waits, retries and fallbacks included. The usage of the reply, and that
        of the error, is of all replies that came; where an endpoint tells none it is estimated.

        Raises:
            ModelUnavailable: no endpoint answered; a CallUnavailable, whose `retry_after_s` is what was asked for.
            ModelBadReply: one answered twice with what is not what was asked for; a CallBadReply.
        """
        call = _Call(messages, schema, max_tokens)
        deadline = time.monotonic() + timeout_s
        failures: list[AttemptFailed] = []
        for number, line in enumerate(self._lines):
            left_s = deadline - time.monotonic()
            try:
                return call.ask(line, time.monotonic() + left_s / (len(self._lines) - number))
            except AttemptFailed as failed:
                log.warning("the model at %s %s", line.http.origin, failed.reason)
                failures.append(failed)
        told = "; ".join(f"{line} {f.reason}" for line, f in zip(self._lines, failures, strict=True))
        message = f"the model did not answer: {told} (attempts: {sum(f.attempts for f in failures)})"
        waits = [f.asked_wait_s for f in failures if f.asked_wait_s is not None]
        raise CallUnavailable(message, usage=call.usage, retry_after_s=min(waits, default=None)) from failures[-1]

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        for line in self._lines:
            line.http.close()


class _Line:
    """An endpoint, its connections, and what it has been found to take."""

    def __init__(self, endpoint: Endpoint, transport: httpx2.BaseTransport | None) -> None:
        self.endpoint = endpoint
        self.http = HttpEndpoint(
            endpoint.url,
            "/chat/completions",
            endpoint.api_key,
            whose="model",
            headers=endpoint.headers,
            transport=transport,
        )
        self.ladder = Ladder(urlsplit(self.http.origin).hostname or "", endpoint.rungs, endpoint.cache)

    def __str__(self) -> str:
        return f"{self.endpoint.model!r} at {self.http.origin}"

    def post(self, body: Mapping[str, Any], until: float, *, retried: bool) -> Said:
        """The answer to one request, repeated where that may help. Raises AttemptFailed, TooLarge or Unreadable."""
        content = json.dumps(body).encode()

        def attempt() -> Said:
            try:
                return read_answer(self.http.post(content, until=self._until(until), largest=_LARGEST_REPLY))
            except ErrorInside as error:
                raise self.http.refusal(error.status, error.said) from error
            except AttemptFailed as failed:
                failed.again = failed.again and (retried or failed.status != 500)
                raise

        return repeated(attempt, max_retries=self.endpoint.max_retries, deadline=until)

    def _until(self, until: float) -> float:
        return min(until, time.monotonic() + self.endpoint.timeout_s)


@dataclass(frozen=True, slots=True)
class _Judged:
    """An answer, what is wrong with it (None when nothing is), and the value in it."""

    rung: Rung
    said: Said
    problem: str | None = None
    value: Any = None
    refused: tuple[Rung, ...] = ()  # ways in which the endpoint did not let itself be asked before


@dataclass(slots=True)
class _Call:
    """One call of `complete`: what is asked, and what its replies took so far."""

    messages: Messages
    schema: Schema | None
    max_tokens: int
    usage: Usage = dataclass_field(default_factory=Usage)

    def ask(self, line: _Line, until: float) -> Reply:
        """What one endpoint answers, asked once more after a bad reply. Raises AttemptFailed, CallBadReply."""
        rung = Rung.PROMPT if self.schema is None else line.ladder.top()
        first = self._once(line, rung, self.messages, self.max_tokens, until)
        if first.problem is None:
            return self._reply(line, first)
        if first.said.cut:  # it was on the way to a good answer
            second = self._once(line, first.rung, self.messages, 2 * self.max_tokens, until)
        else:
            lower = line.ladder.below(first.rung) if line.ladder.is_unproven(first.rung) else None
            second = self._once(line, lower or first.rung, self._corrected(first.problem), self.max_tokens, until)
        if second.problem is None:
            return self._reply(line, replace(second, refused=first.refused + second.refused))
        message = f"{line} answered with what was not asked for: {first.problem}; once more: {second.problem}"
        raise CallBadReply(message, usage=self.usage)

    def _once(self, line: _Line, rung: Rung, messages: Messages, max_tokens: int, until: float) -> _Judged:
        """One answer, judged."""
        try:
            said, rung, refused = self._said(line, rung, messages, max_tokens, until)
        except (Unreadable, TooLarge) as error:
            self._count(line, messages, Usage(0, max_tokens))
            return _Judged(rung, Said("", None), f"it {error}")
        self._count(line, messages, said.usage or Usage(0, min(max_tokens, _COUNTER.count(said.text))))
        if said.refused:
            raise AttemptFailed(said.refused)
        judged = replace(self._judged(rung, said), refused=refused)
        if judged.problem is not None and not said.cut:
            line.ladder.doubted(rung)
        return judged

    def _said(
        self, line: _Line, rung: Rung, messages: Messages, max_tokens: int, until: float
    ) -> tuple[Said, Rung, tuple[Rung, ...]]:
        """The answer, the way in which the endpoint let itself be asked, and those in which it did not."""
        refused: list[Rung] = []
        while True:  # each turn goes down a rung or leaves out a parameter, so they come to an end
            body = line.ladder.body(rung, line.endpoint.model, messages, self.schema, max_tokens)
            try:
                return line.post(body, until, retried=not line.ladder.is_unproven(rung)), rung, tuple(refused)
            except AttemptFailed as failed:
                next_rung = line.ladder.after_refusal(rung, failed)
                if next_rung is None:
                    raise
                refused += [rung] * (next_rung is not rung)
                rung = next_rung

    def _judged(self, rung: Rung, said: Said) -> _Judged:
        if not said.text.strip():
            return _Judged(rung, said, "it was empty")
        if self.schema is None:
            return _Judged(rung, said)
        if self._is_echo(said.text):
            return _Judged(rung, said, "it repeated the question")
        schema, problems = self.schema, list[str]()

        def fits(value: Any) -> bool:
            problem = first_problem(value, without_lengths(schema))
            problems.extend([problem] if problem else [])
            return problem is None

        try:
            found = find_value(said.text, fits)
        except NoValue as error:
            return _Judged(rung, said, _CUT_OFF if said.cut else problems[0] if problems else str(error))
        if found.lost or (found.cut and said.cut):  # what is missing may be the facts: part of an answer is no answer
            return _Judged(rung, said, _CUT_OFF)
        return _Judged(rung, said, value=found.value)

    def _reply(self, line: _Line, judged: _Judged) -> Reply:
        if self.schema is not None:
            line.ladder.worked(judged.rung, judged.refused)
        return Reply(judged.value, judged.said.text, self.usage, line.endpoint.model)

    def _count(self, line: _Line, messages: Messages, usage: Usage) -> None:
        """Add what an answer took; an endpoint that does not say how long the prompt was is taken by our own count."""
        if not usage.prompt_tokens:
            prompt = sum(_COUNTER.count(message["content"]) for message in messages)
            usage = Usage(prompt, usage.completion_tokens)
        self.usage = added(self.usage, priced(usage, line.endpoint.prices))

    def _is_echo(self, text: str) -> bool:
        heads = [message["content"].strip()[:_ECHO_CHARS] for message in self.messages]
        return any(len(head) >= _SHORTEST_ECHO and head in text for head in heads)

    def _corrected(self, problem: str | None) -> Messages:
        """The messages with what was wrong, in the last one: not every chat template takes two of one role in a row."""
        *before, last = self.messages
        words = f"{last['content']}\n\n(An answer was refused: {problem}. Answer with the JSON value alone.)"
        return [*before, {**last, "content": words}]


_COUNTER = EstimatedTokenCounter()
