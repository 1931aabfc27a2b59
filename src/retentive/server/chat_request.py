"""A chat request with memory in it: pure, so that the same facts and the same question give the same bytes.

The stable part of the block stands behind the instructions, in the system message; the volatile part before the last
question. So everything up to that question is, from turn to turn, what a provider's prompt cache has seen already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from retentive.checking import message_text
from retentive.models.ladder import CacheHint, hint
from retentive.server.problems import Refused

Body = dict[str, Any]
_INSTRUCTING = frozenset({"system", "developer"})
_ROLES = _INSTRUCTING | {"user", "assistant", "tool", "function"}
_MOST_MESSAGES = 5_000


@dataclass(frozen=True, slots=True)
class Said:
    """A conversation as a request tells it: role and text of each message that is no instruction.

    clean: takes secrets out of what ids are made from; a digest would let a password be guessed from them.
    """

    messages: tuple[Mapping[str, str], ...]
    clean: Callable[[str], str]

    @property
    def texts(self) -> frozenset[str]:
        """All texts that the prompt has already."""
        return frozenset(message["content"] for message in self.messages)

    def new(self) -> list[dict[str, str]]:
        """What was said since the model last spoke, to be recorded; a repeated request names the same messages.

        >>> said = Said(({"role": "user", "content": "Hi"},), clean=str)
        >>> said.new() == said.new(), said.new()[0]["content"]
        (True, 'Hi')
        """
        spoken = [place for place, message in enumerate(self.messages) if message["role"] == "assistant"]
        begin = spoken[-1] + 1 if spoken else 0
        return [dict(self.messages[n], id=self._name(n, self.messages[n]["content"])) for n in range(begin, self.count)]

    def reply(self, text: str) -> dict[str, str]:
        """The model's answer, to be recorded."""
        return {"role": "assistant", "content": text, "id": self._name(self.count, text)}

    @property
    def opening(self) -> str:
        """What the user said first, which every later request repeats, cleaned."""
        return self.clean(next((message["content"] for message in self.messages if message["role"] == "user"), ""))

    @property
    def answered(self) -> bool:
        """Whether the model has spoken: the conversation goes on."""
        return any(message["role"] == "assistant" for message in self.messages)

    @property
    def count(self) -> int:
        """How many messages there are."""
        return len(self.messages)

    def _name(self, place: int, text: str) -> str:
        return f"{place}-{hashlib.blake2b(self.clean(text).encode(), digest_size=8).hexdigest()}"


def checked(body: Any) -> Body:
    """The request's body, if it is a chat request. Raises Refused (400)."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not 1 <= len(messages) <= _MOST_MESSAGES:
        raise Refused(400, f"messages is a list of 1 to {_MOST_MESSAGES} messages")
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else 0
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise Refused(400, f"a message is an object with a role of {', '.join(sorted(_ROLES))}")
        if not (content is None or isinstance(content, str | list)):
            raise Refused(400, "a message's content is text or a list of parts")
    checked_body: Body = body
    return checked_body


def said_in(body: Body, clean: Callable[[str], str]) -> Said:
    """What a request's messages say, without instructions. Raises InvalidInput for text that cannot be kept."""
    spoken = [message for message in body["messages"] if message["role"] not in _INSTRUCTING]
    texts = [{"role": message["role"], "content": message_text(message.get("content"))} for message in spoken]
    return Said(tuple(texts), clean)


def sent_texts(body: Body) -> Iterator[str]:
    """All texts of a request's messages, instructions and memory among them.

    >>> list(sent_texts({"messages": [{"role": "system", "content": "Be brief."}, {"role": "assistant"}]}))
    ['Be brief.']
    """
    for message in body["messages"]:
        content = message.get("content") or ()
        parts = [{"text": content}] if isinstance(content, str) else content
        yield from (part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))


def with_memory(body: Body, stable: str, volatile: str, cache: CacheHint | None) -> Body:
    """The request with memory in it, and the hint to where its stable part ends; what else it holds stays as it is."""
    messages = [dict(message) for message in body["messages"]]
    if stable:
        instructions = list(takewhile(lambda message: message["role"] in _INSTRUCTING, messages))
        if instructions:
            last = instructions[-1]
            last["content"] = _joined(last.get("content"), stable, after=True)
        else:
            messages.insert(0, {"role": "system", "content": stable})
    asked = [message for message in messages if message["role"] == "user"]
    if volatile and asked:
        asked[-1]["content"] = _joined(asked[-1].get("content"), volatile, after=False)
    made: Body = {**body, "messages": messages}
    if cache is not None and "prompt_cache_key" not in body:
        hint(made, messages, cache)
    return made


def _joined(content: Any, text: str, *, after: bool) -> Any:
    """A message's content with a text before or after it, in the form that it has."""
    if isinstance(content, list):
        part = {"type": "text", "text": text}
        return [*content, part] if after else [part, *content]
    both: Sequence[str] = (content or "", text) if after else (text, content or "")
    return "\n\n".join(part for part in both if part)
