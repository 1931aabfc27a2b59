"""The async Session, and the way of every async verb into a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from retentive.across import contained
from retentive.results import Receipt
from retentive.session import Session

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a call returns, made in a worker thread: no loop is held up, and none is kept."""
    return await asyncio.get_running_loop().run_in_executor(None, contained, functools.partial(call, *args, **kwargs))


class AsyncSession:
    """One conversation. See `Session`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.id = session.id

    @property
    def messages(self) -> list[dict[str, str]]:
        """Working memory."""
        return self.session.messages

    @property
    def working_tokens(self) -> int:
        """Tokens of working memory."""
        return self.session.working_tokens

    async def add(self, role: str, content: str, **more: Any) -> Receipt:
        """Store a message and put it in working memory."""
        return await in_thread(self.session.add, role, content, **more)

    async def remember(self, text: str, **more: Any) -> Receipt:
        """Keep a statement as a fact of this conversation."""
        return await in_thread(self.session.remember, text, **more)

    async def system_prompt(self, instructions: str = "", *, query: str | None = None, **block_options: Any) -> str:
        """Your instructions followed by the memory block."""
        return await in_thread(self.session.system_prompt, instructions, query=query, **block_options)

    async def end(self) -> None:
        """End the session."""
        await in_thread(self.session.end)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()
