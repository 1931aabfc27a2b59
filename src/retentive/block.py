"""Text for the prompt, within a token budget: what is always true first, what this turn recalled last.

Pure. The stable part has the same bytes for the same facts, so a provider's prompt cache keeps it; the volatile part
follows it. Every memory is one line, escaped so that it can close nothing, open nothing and hide nothing, and so that
`parse_block` gives back exactly what was stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retentive.clock import local_time
from retentive.contracts import TokenCounter
from retentive.contracts.ledger import Carried
from retentive.echo import echo
from retentive.errors import InvalidInput
from retentive.results import Block, Hit, Item
from retentive.statement import attribute_of_field, in_own_case, parse_statements
from retentive.types import BLOCK_NOTE, SessionInfo

#: The tokens of a text.
Count = Callable[[str], int]
#: The stable part may take this share of the budget, whatever the query: it must not move with what was recalled.
_STABLE_SHARE = 0.5
#: A hit's worth is its score divided by its tokens to this power: twice as long takes 7 % of it.
_LENGTH_POWER = 0.1
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_ROLE_MARKER = re.compile(r"\[(?=/?(?:INST|SYS))", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(\\|n|r|t|u[0-9a-f]{4}|U[0-9a-f]{8})")
_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SHORT_BACK = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
#: Characters that would be read as markup, and categories that show nothing or turn the text around.
_MARKUP = frozenset("<>`")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: So many characters are known for the next text: those of every alphabet, and the usual ones of Chinese.
_MOST_SHOWN = 8192
_SELECTORS = (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))  # U+FE0E and U+FE0F, of emoji, are left as they are
_HIDDEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f") | set(
    map(chr, _SELECTORS)
)


class BudgetTooSmall(InvalidInput):
    """The token budget does not hold even one memory: raise budget_tokens."""


@dataclass(frozen=True, slots=True)
class Line:
    """One memory as a line of the block, with what it stands for."""

    text: str
    id: str | None = None
    source_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """What a block is made of: profile values and evergreen facts, recalled hits best first, sessions newest first."""

    profile: Mapping[str, Item]
    evergreen: Sequence[Item]
    hits: Sequence[Hit]
    sessions: Sequence[SessionInfo]


# -- escaping --------------------------------------------------------------------------------------------------------
def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class _Shown(dict[int, str | int]):
    """Code point -> what is shown in its place, as `str.translate` asks for it; those met first are kept."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        hidden = character in _MARKUP or character in _HIDDEN or unicodedata.category(character) in _HIDDEN_CATEGORIES
        shown = _SHORT.get(character) or (_escaped(character) if hidden else code)
        if len(self) < _MOST_SHOWN:
            self[code] = shown
        return shown


_SHOWN = _Shown()


def escape(text: str) -> str:
    r"""One line that shows every character and cannot end the block; `unescape` gives the text back.

    >>> print(escape("a</MEMORY>\nb"))
    a\u003c/MEMORY\u003e\nb
    """
    return _ROLE_MARKER.sub(lambda found: _escaped(found[0]), text.translate(_SHOWN))


def unescape(text: str) -> str:
    r"""The text `escape` was given.

    >>> unescape(r"a\u003c/MEMORY\u003e\nb")
    'a</MEMORY>\nb'
    """
    return _ESCAPE.sub(lambda found: _SHORT_BACK.get(found[1]) or chr(int(found[1][1:], 16)), text)


def checked_tag(tag: str) -> str:
    """The tag, if it can be one; raises InvalidInput."""
    if not isinstance(tag, str) or not _TAG.fullmatch(tag):
        message = f"a block's tag is letters, digits, '-' and '_', not {echo(tag)}"
        raise InvalidInput(message)
    return tag


# -- lines -----------------------------------------------------------------------------------------------------------
def profile_value(item: Item) -> str:
    """What a profile field holds: its value alone, where the fact's words tell it, in the case they give it."""
    plain = item.text.removeprefix(f"{item.field}: ")
    if plain != item.text or item.field is None:
        return plain
    attribute = attribute_of_field(item.field)
    values = [s.value for s in parse_statements(item.text) if s.attribute == attribute]
    return in_own_case(values[0], plain) if values else plain


def _day(item: Item) -> str:
    return (item.local_time or item.timestamp)[:10]


def _label(name: str) -> str:
    """A name inside the brackets before a text: it cannot close them."""
    return escape(name).replace("]", _escaped("]"))


def _profile_line(name: str, item: Item) -> Line:
    return Line(f"- {name}: {escape(profile_value(item))}", item.id, item.source_ids)


def _fact_line(item: Item) -> Line:
    doubt = " (disputed)" if item.status == "disputed" else ""
    return Line(f"- {escape(item.text)}{doubt}", item.id, item.source_ids)


def _hit_line(hit: Hit) -> Line:
    item = hit.item
    who = f" {_label(item.name or item.role or '')}" if item.tier == "episodic" else ""
    doubt = {"disputed": " disputed", "superseded": " no longer true"}.get(item.status, "")
    origin = " untrusted" if item.trust == "untrusted" else ""
    return Line(f"- [{_day(item)}{who}{doubt}{origin}] {escape(item.text)}", item.id, item.source_ids)


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _session_line(session: SessionInfo) -> Line:
    summary = escape(session.summary or "")
    day = local_time(session.last_us, session.zone_min).date().isoformat()  # as the speaker's calendar had it
    return Line(f"- [{day}, {_messages(session.message_count)}] {summary}")


# -- packing ---------------------------------------------------------------------------------------------------------
class _Packer:
    """Adds lines while they fit; counts what was left out."""

    def __init__(self, count: Count, budget_tokens: int) -> None:
        self.count = count
        self.left = budget_tokens
        self.taken: list[Line] = []
        self.taken_tokens: list[int] = []
        self.left_out = 0

    def section(self, title: str, lines: Sequence[Line]) -> str:
        """The lines that fit under their title, in the order given; nothing when none fits."""
        shown: list[str] = []
        for line in lines:
            text = f"{line.text}\n" if shown else f"## {title}\n{line.text}\n"
            cost = self.count(text)
            if cost > self.left:
                self.left_out += 1
                continue
            self.left -= cost
            self.taken_tokens.append(cost if shown else self.count(f"{line.text}\n"))
            shown.append(text)
            self.taken.append(line)
        return "".join(shown)


def build(contents: Contents, counter: TokenCounter, *, budget_tokens: int, tag: str = "MEMORY") -> Block:
    """Lay the block out. Empty text when there is nothing to say.

    Raises BudgetTooSmall when there are memories and not one fits.
    """
    head, foot, frame = _frame(checked_tag(tag), counter)
    count = lru_cache(maxsize=None)(counter.count)  # for this block: a line is tried, then taken
    stable_packer = _Packer(count, min(int(budget_tokens * _STABLE_SHARE), budget_tokens - frame))
    profile = [_profile_line(name, item) for name, item in contents.profile.items()]
    always = [_fact_line(item) for item in contents.evergreen]
    stable = stable_packer.section("Profile", profile)
    stable += _that_fit(stable_packer, "Always", always, claims=always[::-1])  # the newest
    spent = count(stable) if stable else 0
    packer = _Packer(count, budget_tokens - frame - spent)
    known = {line.id for line in stable_packer.taken}
    hits = {hit.id: hit for hit in contents.hits if hit.id not in known}
    recalled = [_hit_line(hit) for hit in hits.values()]
    volatile = _that_fit(packer, "Recalled", recalled, _by_value(recalled, list(hits.values()), count))
    volatile += packer.section("Recent sessions", [_session_line(s) for s in contents.sessions if s.summary])
    left_out = stable_packer.left_out + packer.left_out
    if not stable and not volatile:
        if left_out:
            raise BudgetTooSmall
        return Block("", "", "", 0, (), (), 0)
    taken = stable_packer.taken + packer.taken
    taken_tokens = stable_packer.taken_tokens + packer.taken_tokens
    text = f"{head}{stable}{volatile}{foot}"
    return Block(
        text=text,
        stable=head + stable,
        volatile=volatile + foot,
        tokens=count(text),
        ids=tuple(line.id for line in taken if line.id),
        source_ids=tuple(dict.fromkeys(source for line in taken for source in line.source_ids)),
        left_out=left_out,
        id_tokens=tuple(tokens for line, tokens in zip(taken, taken_tokens, strict=True) if line.id),
    )


@lru_cache(maxsize=16)
def _frame(tag: str, counter: TokenCounter) -> tuple[str, str, int]:
    """What stands before and behind the lines of every block, and the tokens of both."""
    head, foot = f"<{tag}>\n{BLOCK_NOTE}\n", f"</{tag}>"
    return head, foot, counter.count(head) + counter.count(foot) + 2  # tokens can split differently at the seams


def halves(block: Block, tag: str) -> tuple[str, str]:
    """The stable and the volatile part as two blocks of their own, each empty where it says nothing.

    So each can stand where it is cheapest: the one behind the instructions, the other beside the last question.
    """
    head, foot = f"<{checked_tag(tag)}>\n{BLOCK_NOTE}\n", f"</{tag}>"
    stable = block.stable + foot if block.stable not in {"", head} else ""
    return stable, head + block.volatile if block.volatile not in {"", foot} else ""


def carried(block: Block, tokens: int) -> tuple[Carried, ...]:
    """What each memory of a block takes of a prompt, and what is left of the `tokens` that it takes in all there."""
    of_memories = [Carried(one, 1, taken) for one, taken in zip(block.ids, block.id_tokens, strict=True)]
    rest = tokens - sum(block.id_tokens)
    return (*of_memories, Carried(None, 1, rest)) if rest > 0 else tuple(of_memories)


def without_sources(hits: Sequence[Hit]) -> list[Hit]:
    """A message and the facts drawn from it say the same: whichever ranks higher stays."""
    kept: list[Hit] = []
    shown: dict[str, set[str]] = {"episodic": set(), "semantic": set()}
    for hit in hits:
        other = shown["semantic" if hit.tier == "episodic" else "episodic"]
        if not hit.episode_ids or not other.issuperset(hit.episode_ids):
            kept.append(hit)
            shown[hit.tier].update(hit.episode_ids)
    return kept


def nothing_fits(contents: Contents) -> Block:
    """The empty block that says how much was left out."""
    left_out = len(contents.profile) + len(contents.evergreen) + len(contents.hits) + len(contents.sessions)
    return Block("", "", "", 0, (), (), left_out)


def _by_value(lines: Sequence[Line], hits: Sequence[Hit], count: Count) -> list[Line]:
    """The best line, then the others by what they are worth a token: a long one must be that much better.

    The power was chosen among five by the evidence covered in 800 tokens (docs/retrieval.md).
    """
    worth = {
        id(line): hit.score / max(count(line.text), 1) ** _LENGTH_POWER for line, hit in zip(lines, hits, strict=True)
    }
    return [*lines[:1], *sorted(lines[1:], key=lambda line: -worth[id(line)])]


def _that_fit(packer: _Packer, title: str, lines: Sequence[Line], claims: Sequence[Line]) -> str:
    """Too many for the budget: those with the first claims stay, in the order of `lines` (so the bytes do)."""
    probe = _Packer(packer.count, packer.left)
    probe.section(title, claims)
    fitting = {id(line) for line in probe.taken}
    packer.left_out += len(lines) - len(fitting)
    return packer.section(title, [line for line in lines if id(line) in fitting])


# -- reading a block back --------------------------------------------------------------------------------------------
_DATED = re.compile(r"\[[^\]]*\] (.*)")
_DATED_SECTIONS = frozenset({"Recalled", "Recent sessions"})


def parse_block(text: str, tag: str = "MEMORY") -> dict[str, list[str]]:
    """Section title -> the texts that stand in it, unescaped; of exactly one block, or InvalidInput."""
    inner = re.fullmatch(rf"<{checked_tag(tag)}>\n(.*)</{tag}>", text, re.DOTALL)
    if inner is None or f"<{tag}>" in inner[1] or f"</{tag}>" in inner[1]:
        message = f"not one whole <{tag}> block"
        raise InvalidInput(message)
    sections: dict[str, list[str]] = {}
    title = ""
    for line in inner[1].split("\n"):
        if line.startswith("## "):
            title = line.removeprefix("## ")
            sections[title] = []
        elif title and line.startswith("- "):
            dated = _DATED.fullmatch(line, 2) if title in _DATED_SECTIONS else None
            sections[title].append(unescape(dated[1] if dated else line[2:]))
    return sections
