"""What is worth keeping. Deterministic: the same event always gets the same answer, with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from retentive.types import BLOCK_NOTE, Episode

#: How far a text is believed, by the role that said it. What tools and pages say never outranks a person.
TRUST_OF_ROLE: Mapping[str, str] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "untrusted",
    "function": "untrusted",
}


#: Every trust a memory may have.
TRUSTS = frozenset(TRUST_OF_ROLE.values())


# -- what is worth a place in the log --------------------------------------------------------------------------------
_MACHINE_TYPES: Final = frozenset({"heartbeat", "ping", "boot", "startup", "keepalive"})
_LONGEST_SIGN: Final = 600
_SIGNS: Final = (
    r"ping|pong|heartbeat(?:[ _-]?ok)?|keep-?alive|health[ -]?check|no_reply|ack|noop"
    r"|read heartbeat\.md\b.{0,400}|heartbeat(?: at| #| no)?[\W\d].{0,120}"
)
_BOOT: Final = (
    r"still alive|(?:system |agent |gateway )?(?:boot|booting|startup|start-up)(?: up)?(?: sequence)?"
    r"(?: (?:complete|finished|done|ok)\w*|:)?.{0,40}|"
    r"(?:system|agent|session|gateway|worker|service) (?:is )?"
    r"(?:booted|started|starting|ready|online|initiali[sz]ed|resumed|restarted)\b.{0,120}"
)
_FLAGS: Final = re.IGNORECASE | re.DOTALL
_OF_SOMEBODY: Final = re.compile(r"\b(?:I|my|we|our)\b", _FLAGS)
_SIGN_OF_LIFE: Final = re.compile(rf"[\W_]*(?:{_SIGNS})[\W_]*", _FLAGS)
_MACHINE_TEXT: Final = re.compile(rf"[\W_]*(?:{_SIGNS}|{_BOOT})[\W_]*", _FLAGS)


@dataclass(frozen=True, slots=True)
class StoragePolicy:
    """Which events have no place in the log: empty ones, signs of life, and what the setting `retention` says to skip.

    skipped: by type and by who speaks, as `type:NAME` and `source:NAME`. kept: the same, of what would be skipped.
    max_chars: longer ones are skipped; None for no limit.

    >>> StoragePolicy(max_chars=1000).skip_reason(Episode("1", "ping", 0, 0, role="system"))
    'a sign of life, not a message'
    """

    skipped: frozenset[str] = field(default_factory=frozenset)
    kept: frozenset[str] = field(default_factory=frozenset)
    max_chars: int | None = None

    def skip_reason(self, episode: Episode) -> str | None:
        """Why an event is not stored, or None when it is."""
        if not episode.text.strip():
            return "empty"
        names = (f"type:{episode.type}", f"source:{episode.role}")
        for name in names:
            if name in self.skipped:
                return f"{name.replace(':', ' ', 1)} is not stored"
        if self.max_chars is not None and len(episode.text) > self.max_chars:
            return f"longer than {self.max_chars:,} characters"
        if self.kept.isdisjoint(names) and _is_sign_of_life(episode):
            return "a sign of life, not a message"
        return None


DEFAULT_STORING: Final = StoragePolicy()


def _is_sign_of_life(episode: Episode) -> bool:
    """A heartbeat or boot text; from a person only what can be nothing else: "service is ready" may be news."""
    if episode.type.casefold() in _MACHINE_TYPES:
        return True
    return _says(_SIGN_OF_LIFE if episode.role in {"user", "assistant"} else _MACHINE_TEXT, episode.text)


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text says this and nothing else, of nobody."""
    text = text[:_LONGEST_SIGN]
    return pattern.fullmatch(text) is not None and not _OF_SOMEBODY.search(text)


def trust_of(role: str) -> str:
    """How far what this role says is believed; an unknown role is not.

    >>> trust_of("tool")
    'untrusted'
    """
    return TRUST_OF_ROLE.get(role, "untrusted")


# -- what may be extracted from --------------------------------------------------------------------------------------
_OWN_BLOCK: Final = re.compile(
    rf"<(?P<tag>[A-Za-z][\w-]{{0,63}})>\s*{re.escape(BLOCK_NOTE)}.*?(?:</(?P=tag)>|\Z)|(?i:<MEMORY(?:\s[^>]{{0,200}})?>.*?(?:</MEMORY>|\Z))"
    rf"|{re.escape(BLOCK_NOTE)}.*",  # pasted without its tags: what follows the note is recalled text all the same
    re.DOTALL,
)
_UNREAD_TYPES: Final = _MACHINE_TYPES | {"status"}


def unextractable_reason(episode: Episode) -> str | None:
    """Why nothing may be extracted from an episode, or None when it may.

    A person's words may; an assistant never states facts about the user by itself, a system prompt never does; what
    tools and pages say may only become facts that are marked untrusted, as their episodes are.

    >>> unextractable_reason(Episode("1", "You live in Ghent.", 0, 0, role="system"))
    'a system prompt is no fact'
    >>> unextractable_reason(Episode("1", "I live in Ghent.", 0, 0)) is None
    True
    """
    if episode.role in {"system", "developer"}:
        return "a system prompt is no fact"
    if episode.role == "assistant":
        return "an assistant states no facts about the user"
    if episode.type.casefold() in _UNREAD_TYPES or _says(_MACHINE_TEXT, episode.text):
        return "a sign of life, not a message"
    if episode.role != "user" and episode.trust != "untrusted":
        return "a tool's words are only taken as untrusted"
    if not without_own_block(episode.text).strip():
        return "nothing but our own block"
    return None


def without_own_block(text: str) -> str:
    """The text with blocks of ours blanked, so that offsets stay: recalled text is not said again.

    >>> without_own_block("Hi <MEMORY>x</MEMORY> you").split()
    ['Hi', 'you']
    """
    if "<" not in text and BLOCK_NOTE not in text:
        return text
    return _OWN_BLOCK.sub(lambda block: " " * len(block[0]), text)


def extractable(episode: Episode) -> bool:
    """Whether facts may be drawn from an episode: what people, tools and pages say; not prompts, not the assistant."""
    return unextractable_reason(episode) is None


# -- what waits for a person -----------------------------------------------------------------------------------------
#: Subjects of weight, and words that show one. Stems, matched at the start of a word, in the languages we read best.
_TOPIC_WORDS: Mapping[str, str] = {
    "billing": r"invoic|billing|payment|credit card|bank account|iban|salary|rechnung|zahlung|konto|gehalt|factura|pago"
    r"|facture|paiement|compte bancaire|发票|付款|银行",
    "health": r"allerg|diagnos|medicat|medicine|disease|illness|pregnan|diabet|asthma|surgery|vaccin|krank|medikament"
    r"|schwanger|enfermedad|embarazad|maladie|enceinte|过敏|药|怀孕|手术",
    "legal": r"lawsuit|lawyer|attorney|court|contract|visa\b|custody|divorc|anwalt|gericht|vertrag|scheidung|abogad"
    r"|contrato|avocat|contrat|律师|合同|签证",
}
_IDENTITY_FIELDS = frozenset({"name", "pronouns", "birthday"})


def review_topic(text: str, field: str | None, topics: Sequence[str]) -> str | None:
    """The first of `topics` a fact touches: an extractor may not replace what is known of these by itself.

    >>> review_topic("The user is allergic to nuts", None, ["health"])
    'health'
    >>> review_topic("The user likes tea", None, ["health"]) is None
    True
    """
    for topic in topics:
        if topic == "identity":
            if field in _IDENTITY_FIELDS:
                return topic
        elif re.search(
            rf"(?:(?<!\w)|(?<=[\u4e00-\u9fff]))(?:{_TOPIC_WORDS.get(topic, re.escape(topic))})", text, re.IGNORECASE
        ):
            return topic
    return None
