"""The one engine that reads a statement: it strips what is not the clause, then tries the frames of the language.

Order: contractions, lead-ins ('actually,'), the value named as wrong ('not Monday'), markers ('no longer'),
circumstances ('at work'), frames. Each step is a bounded pass over at most 400 characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from retentive.statement.clause import Clause
from retentive.statement.folding import fold, tidy
from retentive.statement.kinds import DAY_OR_DATE, PROFESSION
from retentive.statement.languages import likely
from retentive.statement.model import Flag, Frame, Grammar, Statement
from retentive.statement.shapes import build

_MOST_CLAUSES = 4
_MOST_LEAD_INS = 6
_LONGEST_CLAUSE = 240
_LOOSE = frozenset({"verb", "order", "is", "fix"})
_NAME_SUBJECT = r"(?:(?P<s>(?-i:[A-Z])[\w.'-]{0,30}(?: (?-i:[A-Z])[\w.'-]{0,30}){0,2}|(?-i:[A-Z])[\w.-]{0,30}'s [^,:;]{1,40}?|DET [^,:;]{1,40}?) )??"
#: A date an extractor put beside "yesterday"; it says when, not what.
_DATE_NOTE = re.compile(r" ?\[(?:week of |weekend of )?\d{4}(?:-\d\d){0,2}(?: \d\d:\d\d [+-]\d\d:\d\d)?\]")
#: What an extractor puts before words it quotes whole: they are the user's own.
_SAID = re.compile(
    r"^(?:the user (?:says|said)|der nutzer sagt|el usuario dice|l['’]utilisateur dit|l['’]utente dice|o usuário diz|用户说"
    r"|ユーザーの発言) ?[:：] ?",
    re.IGNORECASE,
)
_QUESTION = ("?", "？")


@dataclass(frozen=True, slots=True)
class _Compiled:
    grammar: Grammar
    rewrites: tuple[tuple[re.Pattern[str], str], ...]
    lead_ins: tuple[tuple[re.Pattern[str], Flag], ...]
    markers: tuple[tuple[re.Pattern[str], Flag, str], ...]
    reorders: tuple[tuple[re.Pattern[str], str], ...]
    contrasts: tuple[re.Pattern[str], ...]
    contexts: tuple[re.Pattern[str], ...]
    breaks: re.Pattern[str]
    openers: re.Pattern[str]
    frames: tuple[tuple[re.Pattern[str], Frame], ...]


@dataclass(slots=True)
class _Rest:
    """What is left of a clause, and what was learnt while stripping it."""

    text: str
    flags: set[Flag] = field(default_factory=set)
    context: str = ""
    replaces: str = ""
    plan: str = ""


def _pattern(source: str, grammar: Grammar) -> re.Pattern[str]:
    for token, regex in (
        ("{s}", grammar.subject),
        ("{name}", _NAME_SUBJECT.replace("DET", grammar.determiners)),
        ("{v}", r"(?P<v>\S.{0,240}?)"),
        ("{x}", grammar.fillers),
        ("{moment}", f"(?P<v>{DAY_OR_DATE})"),
        ("{profession}", PROFESSION),
    ):
        source = source.replace(token, regex)
    return re.compile(source, re.IGNORECASE)


@lru_cache(maxsize=16)
def _compiled(grammar: Grammar) -> _Compiled:
    def one(source: str) -> re.Pattern[str]:
        return _pattern(source, grammar)

    return _Compiled(
        grammar,
        tuple((one(p), r) for p, r in grammar.rewrites),
        tuple((one(rf"(?:{p})[\s,:;.!。，：！、-]*"), f) for p, f in grammar.lead_ins),
        tuple((one(p), f, r) for p, f, r in grammar.markers),
        tuple((one(p), r) for p, r in grammar.reorders),
        tuple(one(p) for p in grammar.contrasts),
        tuple(one(p) for p in grammar.contexts),
        one(grammar.breaks),
        one(grammar.openers),
        tuple((_cased(f, grammar), f) for f in grammar.frames),
    )


def _cased(frame: Frame, grammar: Grammar) -> re.Pattern[str]:
    """A frame whose value must start with a capital says so with `(?P<v>[A-Z]`; only that part keeps its case."""
    return _pattern(frame.pattern.replace("(?P<v>[A-Z]", "(?P<v>(?-i:[A-Z])"), grammar)


def parse_statements(text: str, *, speaker: str | None = None, language: str | None = None) -> tuple[Statement, ...]:
    """Every statement recognised in `text`, in order; empty for questions and for what no frame fits.

    `speaker` is the name of the person who says 'I'; their name as a subject is the user. `language` is an ISO 639-1
    hint; without it the language is guessed. Only the first 400 characters are read.

    >>> [s.attribute for s in parse_statements("I live in Ghent and I work at Acme")]
    ['home', 'employer']
    """
    head = tidy(_SAID.sub("", _DATE_NOTE.sub("", text)))
    return () if not head or head.endswith(_QUESTION) else _parsed(head, fold(speaker or ""), language)


@lru_cache(maxsize=4096)
def _parsed(head: str, speaker: str, language: str | None) -> tuple[Statement, ...]:
    """Cached, as every new fact is held against the same neighbours again."""
    grammars = likely(head, language)
    for loose in (False, True):
        for grammar in grammars:
            if found := _read(head, _compiled(grammar), speaker, loose=loose):
                return found
    return ()


def parse_clause(text: str, grammar: Grammar, *, loose: bool = False) -> tuple[Statement, ...]:
    """The statements of one clause by one grammar; `loose` also tries the frames that any verb fits.

    >>> from retentive.statement.english import ENGLISH
    >>> [s.attribute for s in parse_clause("The user works at Acme", ENGLISH)], parse_clause("The user coffee", ENGLISH)
    (['employer'], ())
    """
    table = _compiled(grammar)
    return tuple(_match(_strip(tidy(_DATE_NOTE.sub("", text)), table), table, "", "user", loose=loose))


def clause_flags(text: str, grammar: Grammar) -> frozenset[Flag]:
    """What a clause says of its own standing: that it is planned, over, denied, guessed."""
    rest = _strip(tidy(_DATE_NOTE.sub("", text)), _compiled(grammar))
    return frozenset(rest.flags | ({"plan"} if rest.plan else set()))


def said_before(text: str) -> str:
    """The words an extractor put before what it quotes whole; '' where it did not.

    >>> said_before("El usuario dice: Vivo en Madrid.")
    'El usuario dice: '
    """
    hit = _SAID.match(text)
    return hit[0] if hit else ""


def parse_statement(text: str, *, speaker: str | None = None, language: str | None = None) -> Statement | None:
    """The main statement in `text`: the first that is true now, else the first; None when nothing is recognised.

    >>> s = parse_statement("My favourite player is Messi")
    >>> s.subject, s.attribute, s.value, s.exclusive
    ('user', 'favourite player', 'messi', True)
    """
    found = parse_statements(text, speaker=speaker, language=language)
    return next((s for s in found if s.tense == "now"), found[0] if found else None)


def _read(head: str, table: _Compiled, speaker: str, *, loose: bool) -> tuple[Statement, ...]:
    found: list[Statement] = []
    carried: set[Flag] = set()
    for part in _clauses(head, table):
        rest = _strip(part, table)
        rest.flags |= carried
        if not rest.text:
            carried |= rest.flags
            continue
        default = found[-1].subject if found else "user"
        found.extend(_match(rest, table, speaker, default, loose=loose or bool(found)))
        carried &= {"correction"}
    return tuple(found)


def _clauses(head: str, table: _Compiled) -> Sequence[str]:
    """Parts of a sentence with a verb of their own; 'When I travel, I ...' stays together."""
    parts: list[str] = []
    start = 0
    for gap in table.breaks.finditer(head):
        part = head[start : gap.start()]
        if len(parts) == _MOST_CLAUSES - 1 or (gap[0].startswith(",") and table.openers.match(part)):
            continue
        parts.append(part)
        start = gap.end()
    return [part for part in (*parts, head[start:]) if part.strip()]


def _strip(part: str, table: _Compiled) -> _Rest:
    rest = _Rest(part.strip(" .!,;。！，；"))
    for pattern, put in table.rewrites:
        rest.text = pattern.sub(put, rest.text)
    _strip_lead_ins(rest, table)
    _strip_contrast(rest, table)
    for pattern, flag, put in table.markers:
        changed, hits = pattern.subn(put, rest.text) if flag != "plan" else (rest.text, 0)
        if flag == "plan" and not rest.plan and (hit := pattern.search(rest.text)):
            rest.plan = rest.text[hit.start() :]
        if hits:
            rest.text = _squeeze(changed)
            rest.flags.add(flag)
    _strip_lead_ins(rest, table)
    for pattern, put in table.reorders:
        rest.text = _squeeze(pattern.sub(put, rest.text))
    for pattern in table.contexts:
        if not rest.context and (hit := pattern.search(rest.text)) and len(rest.text) > len(hit["c"]) + 2:
            rest.context = fold(hit["c"])
            rest.text = _without(rest.text, hit, table.grammar)
    return rest


def _strip_lead_ins(rest: _Rest, table: _Compiled) -> None:
    for _ in range(_MOST_LEAD_INS):
        for pattern, flag in table.lead_ins:
            if hit := pattern.match(rest.text):
                rest.text = _squeeze(rest.text[hit.end() :])
                rest.flags.add(flag)
                break
        else:
            return


def _strip_contrast(rest: _Rest, table: _Compiled) -> None:
    for pattern in table.contrasts:
        hit = pattern.search(rest.text)
        if hit and hit.start() > 0:
            rest.replaces = fold(hit["old"])
            rest.text = _without(rest.text, hit, table.grammar)
            return


def _without(text: str, hit: re.Match[str], grammar: Grammar) -> str:
    gap = " " if grammar.spaced else ""
    return _squeeze(text[: hit.start()] + gap + text[hit.end() :])


def _squeeze(text: str) -> str:
    return " ".join(text.split()).strip(" ,;:.!，。：；！、")


def _match(rest: _Rest, table: _Compiled, speaker: str, default: str, *, loose: bool) -> list[Statement]:
    """The first frame that holds; the loose ones (any verb, any 'is') only when no language knows better."""
    grammar = table.grammar
    if rest.plan:
        subject = "user" if default == "user" else default
        return [Statement(subject, f"plan:{fold(rest.plan)}", fold(rest.plan), polarity=1)]
    if len(rest.text) > _LONGEST_CLAUSE:
        return []
    for pattern, frame in table.frames:
        if frame.shape in _LOOSE and not loose:
            continue
        if hit := pattern.fullmatch(rest.text):
            clause = Clause(grammar, frame, hit, frozenset(rest.flags), rest.context, rest.replaces, speaker, default)
            if made := build(clause):
                return made
    return []
