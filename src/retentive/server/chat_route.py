"""`/v1/chat/completions`: any OpenAI client has memory by changing its `base_url`.

A request gets the memory block, goes to the configured endpoint (or its fallback), and what was said is recorded: what
the user said before the model is asked, the answer when it is there. What it took is entered for the key's tenant,
user, session and key, and held to the tenant's limits.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from retentive.across import contained
from retentive.asking import what_to_ask
from retentive.block import BudgetTooSmall, carried, halves
from retentive.cleaning import Cleaner
from retentive.clock import now_us
from retentive.contracts import Usage
from retentive.contracts.ledger import Account, Carried
from retentive.errors import NotFound, RetentiveError
from retentive.models.http import AttemptFailed
from retentive.models.meter import Meter
from retentive.models.tokens import EstimatedTokenCounter, default_counter
from retentive.plugins import chat_endpoints, make_policy, usage_limits
from retentive.scoped import ScopedMemory
from retentive.server.access import Caller, default_user
from retentive.server.chat_request import Body, Said, checked, said_in, sent_texts, with_memory
from retentive.server.chat_upstream import DONE, Pieces, Upstream
from retentive.server.conversations import conversation
from retentive.server.problems import Refused, status_of
from retentive.server.reading import checked_query, parsed, read_body
from retentive.server.routing import JSON, Route
from retentive.server.schemas import SESSION
from retentive.server.service import Service, dumped

_CHAT = Route("POST", "/v1/chat/completions", "chat", "Chat with memory.", "write", lambda _: None, None,
              query={"session_id": SESSION})  # fmt: skip
_MODELS = Route("GET", "/v1/models", "models", "The model there is.", "read", lambda _: None, None)
_ANSWER_TOKENS = 4096  # set aside for an answer whose length nobody bounds
_COUNTER = EstimatedTokenCounter()


@dataclass(frozen=True, slots=True)
class Turn:
    """One request on its way: whose it is, what is said in it, and what is sent on."""

    mine: ScopedMemory
    session_id: str
    said: Said
    body: Body
    meter: Meter

    def finish(self, text: str, usage: Usage | None, model: str) -> None:
        """Record the answer and enter what it took, estimated where the endpoint does not say."""
        self.meter.settle(usage or self._estimated(text), model)
        if text.strip():
            self.mine.record([self.said.reply(text)], self.session_id)

    def _estimated(self, text: str) -> Usage:
        return Usage(sum(map(_COUNTER.count, sent_texts(self.body))), _COUNTER.count(text))


class ChatGateway:
    """The two paths, over an open store and the chat endpoint that its settings name."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._settings = service.memory.settings
        endpoints = chat_endpoints(self._settings)
        self._upstream, self._prices = Upstream(endpoints), endpoints[0].prices
        self._counter = default_counter()  # the block's

    def close(self) -> None:
        """Close the connections to the endpoints."""
        self._upstream.close()

    def routes(self) -> list[Path]:
        """Its routes."""
        return [
            Path(_CHAT.path, self._endpoint(_CHAT, self._chat), methods=["POST"]),
            Path(_MODELS.path, self._endpoint(_MODELS, self._models), methods=["GET"]),
        ]

    def _endpoint(self, route: Route, answer: Any) -> Any:
        """What answers a path; errors have the form that OpenAI's clients read."""

        async def endpoint(request: Request) -> Response:
            async def answered() -> Response:
                try:
                    response: Response = await answer(request, await self._service.caller(request, route))
                except Refused as refused:
                    return _failed(refused.status, refused.detail, refused.headers)
                except RetentiveError as error:
                    wait_s = getattr(error, "retry_after_s", None)
                    return _failed(status_of(error), str(error), {"retry-after": str(int(wait_s))} if wait_s else None)
                return response

            return await self._service.counted(route.path, request, answered)

        return endpoint

    async def _models(self, _: Request, __: Caller) -> Response:
        model = {"id": self._upstream.model, "object": "model", "created": 0, "owned_by": "retentive"}
        return Response(dumped({"object": "list", "data": [model]}), media_type=JSON)

    async def _chat(self, request: Request, caller: Caller) -> Response:
        if "read" not in caller.rights:
            raise Refused(403, "chatting needs the rights read and write")
        content = await read_body(request, self._service.options)
        body = checked(parsed(content, self._service.options.max_depth))
        query = checked_query(_CHAT, request.query_params.multi_items())
        session_id = query.pop("session_id", None) or request.headers.get("x-session-id")
        turn = await self._service.in_thread(lambda: self._begun(caller, body, query, session_id))
        headers = {"x-session-id": turn.session_id}
        if body.get("stream"):
            events = await anyio.to_thread.run_sync(contained, partial(self._streamed, turn))
            return _Passing(events, headers)
        answer = await anyio.to_thread.run_sync(contained, partial(self._answered, turn))
        return Response(answer, media_type=JSON, headers=headers)

    # -- in threads ----------------------------------------------------------------------------------------------------
    def _begun(self, caller: Caller, body: Body, query: dict[str, Any], session_id: str | None) -> Turn:
        """Put memory in, set aside what it may take, and record what the user said. Raises LimitReached."""
        user_id = query.get("user_id") or self._user_of(caller, body, query.get("agent_id"))
        mine = caller.scope(self._service.memory, user_id, query.get("agent_id"), query.get("project_id"))
        cleaner = Cleaner(make_policy(self._settings))
        said = said_in(body, cleaner.text)
        session_id = session_id or conversation(mine, caller.actor, said, self._settings.session_idle_s)
        stable, volatile, memories = self._memory_for(mine, session_id, said)
        sent = with_memory(body, stable, volatile, self._upstream.cache)
        named = cleaner.name(session_id)  # as the session is stored
        whose = mine.scope
        account = Account(whose.partition, f"chat {caller.actor}", named, whose.agent_id, whose.project_id)
        limits = usage_limits(self._settings)
        meter = Meter(self._service.memory.ledger, account, limits, self._prices, now_us(), memories)
        mine.record(said.new(), session_id)
        meter.reserve(_most(sent))
        return Turn(mine, session_id, said, sent, meter)

    def _user_of(self, caller: Caller, body: Body, agent_id: str | None) -> str | None:
        """Whose memory it is where the query does not say: a key's only user, whom the request names, our own."""
        named = body.get("user") if agent_id is None and isinstance(body.get("user"), str) else None
        own = default_user(caller, self._settings)
        return own or named if caller.key is not None else named or own

    def _memory_for(self, mine: ScopedMemory, session_id: str, said: Said) -> tuple[str, str, tuple[Carried, ...]]:
        """Both halves of the block, without what the prompt has already, and what each memory in them takes."""
        try:
            known = mine.session_messages(session_id)
        except NotFound:
            known = []
        shown = frozenset(item.id for item in known if item.text in said.texts)
        try:
            block = mine.block_beside(session_id, shown)(what_to_ask(said.messages))
        except BudgetTooSmall:
            return "", "", ()
        both = halves(block, self._settings.tag)
        return *both, carried(block, sum(map(self._counter.count, both)))

    def _answered(self, turn: Turn) -> bytes:
        try:
            answer = self._upstream.answer(turn.body)
        except BaseException:
            turn.meter.settle(Usage(), self._upstream.model, failed=True)
            raise
        turn.finish(answer.text, answer.usage, answer.model)
        return answer.content

    def _streamed(self, turn: Turn) -> Generator[bytes]:
        try:
            pieces = self._upstream.stream(turn.body)
        except BaseException:
            turn.meter.settle(Usage(), self._upstream.model, failed=True)
            raise

        return _passed_on(turn, pieces)


class _Passing(StreamingResponse):
    """A stream that is closed with its response, whatever ends that; a client that went away would leave it open."""

    def __init__(self, events: Generator[bytes], headers: dict[str, str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._events.close)


def _passed_on(turn: Turn, pieces: Pieces) -> Generator[bytes]:
    """The events; what was said is recorded before the last one, so that a client's next request finds it."""
    with ExitStack() as unfinished:  # also where the client goes away in the middle: what was said was said
        unfinished.callback(lambda: turn.finish(pieces.text, pieces.usage, pieces.model))
        try:
            for event in pieces.events:
                if event == DONE:
                    unfinished.close()
                yield event
        except AttemptFailed as failed:
            unfinished.close()
            yield b"data: " + dumped(_error(502, f"the model broke off: {failed.reason}")) + b"\n\n"


def _most(body: Body) -> Usage:
    """The most that a request may take."""
    bound = body.get("max_completion_tokens") or body.get("max_tokens")
    prompt = _COUNTER.count(json.dumps(body["messages"], ensure_ascii=False))
    return Usage(prompt, bound if isinstance(bound, int) and bound > 0 else _ANSWER_TOKENS)


def _failed(status: int, words: str, headers: Any) -> Response:
    return JSONResponse(_error(status, words), status, headers)


def _error(status: int, words: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 429 else "rate_limit_error" if status == 429 else "server_error"
    return {"error": {"message": words, "type": kind, "param": None, "code": None}}
