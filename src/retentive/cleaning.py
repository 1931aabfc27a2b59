"""Secrets and personal data out of what is about to be stored, field by field, with a note of what was found.

Texts and metadata lose both. Names that callers look things up by (message ids, session ids, idempotency keys) lose
secrets only, and keep a digest in their place, so that the same name still means the same thing.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from retentive.errors import InvalidInput
from retentive.redaction import RedactionPolicy, redact, redact_value
from retentive.redaction.policy import DEFAULT_POLICY
from retentive.types import Episode, Evidence, Fact, Scope, SessionInfo, checked_name

#: The fields of an episode that hold what somebody wrote.
_WORDED = ("text", "name", "role", "type", "source_id", "session_id", "metadata")
_worded = attrgetter(*_WORDED)
#: A shorter name has no room for a prefix and a secret.
_SHORTEST_GLUED = 24
_MOST_STARTS = 8
#: So many names that were found to hold no secret are known for the next call, each of which asks.
_KNOWN_NAMES = 4096
#: These names, by what was asked of them.
_plain_names: dict[RedactionPolicy, set[str]] = {}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _starts(name: str) -> list[int]:
    """Where a secret may begin in a name: at its start, and behind what glues a prefix to it, as in `msg-<token>`."""
    if len(name) < _SHORTEST_GLUED or _UUID.fullmatch(name):
        return [0]
    return [0, *(found.end() for found in re.finditer(r"[-_:/#|.@ ]", name))][:_MOST_STARTS]


@lru_cache(_KNOWN_NAMES)
def refuse_secret_names(scope: Scope) -> None:
    """A scope's names are keys and stay as they are, so a secret in one is refused. Raises InvalidInput.

    >>> refuse_secret_names(Scope(user_id="alice@example.org"))
    """
    for what in ("tenant", "user_id", "agent_id", "project_id"):
        cleaner = Cleaner()
        name = getattr(scope, what)
        if cleaner.name(name) != name:
            message = f"{what} looks like a secret ({', '.join(cleaner.found)}): name the {what} by something else"
            raise InvalidInput(message)


def checked_actor(actor: str) -> str:
    """Who acts, for the audit, which outlives what it tells of. Raises InvalidInput for a secret in place of a name.

    >>> checked_actor("key-7f3a")
    'key-7f3a'
    """
    return _harmless_actor(checked_name("actor", actor))


@lru_cache(_KNOWN_NAMES)
def _harmless_actor(actor: str) -> str:
    cleaner = Cleaner()
    if cleaner.name(actor) != actor:
        message = f"the actor looks like a secret ({', '.join(cleaner.found)}): name the actor by something else"
        raise InvalidInput(message)
    return actor


class Cleaner:
    """Cleans the fields of one memory and counts what it took out.

    >>> cleaner = Cleaner()
    >>> cleaner.text("write to ann@example.org")
    'write to [REDACTED:email]'
    >>> cleaner.note
    'taken out before storing: email'
    """

    def __init__(self, policy: RedactionPolicy = DEFAULT_POLICY) -> None:
        self._policy = policy
        self._plain = _plain_names.setdefault(policy, set())
        self.found: Counter[str] = Counter()

    def text(self, text: str) -> str:
        """A text without secrets and personal data."""
        cleaned = redact(text, policy=self._policy)
        if cleaned.spans:
            self.found.update(span.kind for span in cleaned.spans)
        return cleaned.text

    def name(self, name: str | None) -> str | None:
        """A name without secrets; what was taken out leaves a digest of the whole name."""
        if name is None or name in self._plain:
            return name
        policy = replace(self._policy, actions={**self._policy.actions, "pii": "allow"})
        for start in _starts(name):
            cleaned = redact(name[start:], policy=policy)
            if cleaned.text != name[start:]:
                self.found.update(span.kind for span in cleaned.spans)
                digest = hashlib.blake2b(name.encode(), digest_size=6).hexdigest()
                return f"{name[:start]}{cleaned.text}"[:128] + f"#{digest}"
        if len(self._plain) >= _KNOWN_NAMES:
            self._plain.clear()
        self._plain.add(name)
        return name

    def value(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Metadata without secrets and personal data, in keys and values."""
        if not value:
            return {}
        cleaned, found = redact_value(dict(value), policy=self._policy)
        self.found.update(span.kind for span in found)
        assert isinstance(cleaned, dict)  # noqa: S101  a mapping stays one
        return cleaned

    @property
    def note(self) -> str | None:
        """What was taken out, by kind, for a receipt; None when nothing was."""
        return f"taken out before storing: {', '.join(sorted(self.found))}" if self.found else None

    # -- whole records -----------------------------------------------------------------------------------------------
    def episode(self, episode: Episode) -> Episode:
        """An episode with every field clean."""
        clean: tuple[Any, ...] = (
            self.text(episode.text),
            None if episode.name is None else self.text(episode.name),
            self.name(episode.role) or "user",
            self.name(episode.type) or "message",
            self.name(episode.source_id),
            self.name(episode.session_id),
            self.value(episode.metadata),
        )
        if clean == _worded(episode):
            return episode
        return replace(episode, **dict(zip(_WORDED, clean, strict=True)))

    def fact(self, fact: Fact) -> Fact:
        """A fact with every field clean. What is derived from its words is the caller's to derive again."""
        return replace(
            fact,
            text=self.text(fact.text),
            source=self.name(fact.source) or "user",
            session_id=self.name(fact.session_id),
            idempotency_key=self.name(fact.idempotency_key),
            reason=None if fact.reason is None else self.text(fact.reason),
            evidence=tuple(Evidence(e.episode_id, self.text(e.quote)) for e in fact.evidence),
            metadata=self.value(fact.metadata),
        )

    def session(self, session: SessionInfo) -> SessionInfo:
        """A session with its id and summary clean."""
        summary = None if session.summary is None else self.text(session.summary)
        return replace(session, id=self.name(session.id) or session.id, summary=summary)
