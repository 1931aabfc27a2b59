"""Near-duplicates: facts that say the same in nearly the same words come under one of them, with all their evidence.

Cautious, since what is merged in error is lost from sight: two texts are the same when their words are, in their order,
apart from articles, from how the speaker is called, and from words that only add emphasis. A number, a negation, a name
or any word that is not known to be empty keeps them apart. No fact is changed but by being superseded; the one that
stays cites everything that the others cited.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from retentive.contracts import Listing, Store, Transaction
from retentive.statement import fold
from retentive.statement.folding import stem
from retentive.types import SUMMARY, Change, ConfirmFact, Fact, Partition, RetireFact, Status, Tier

#: Words without which a sentence says the same: articles, the speaker, emphasis. Folded, so without accents.
_EMPTY: Final = frozenset(
    "the a an user user's i i'm my me really very quite just truly definitely absolutely "
    "der die das ein eine nutzer ich mein meine wirklich sehr ganz "
    "le la les un une l'utilisateur je j'ai mon ma mes vraiment tres el los las una usuario yo mi mis realmente muy "
    "il lo gli utente io mio mia davvero molto o os as um uma eu meu minha mesmo muito".split()
)
#: A word; or a sign that says something: of money, of comparing, of a question, a picture. Not those that only divide.
_WORD: Final = re.compile(r"[\w'@#./:+-]*\w[+#]*|[^\w\s.,;:!'\"()\[\]{}_/@#\-‐-―‘-‟…«»。、，；：！·¡¿]")
#: Written in capitals inside a sentence, what is else an article is a name: blood group O, vitamin A, LA.
_NAME: Final = re.compile(r"(?<=[\w,:] )[A-Z]{1,3}\b")
_FEWEST_WORDS: Final = 2
#: Facts read at a time, and groups merged in one transaction.
_PAGE: Final = 1000
_GROUPS: Final = 100
WHY: Final = "said in other words by a fact that now cites all of it"


def content_key(text: str) -> tuple[str, ...]:
    """The words of a sentence that say something, stemmed, in their order.

    >>> content_key("The user really likes green tea.") == content_key("I like green tea")
    True
    >>> content_key("I do not like green tea") == content_key("I like green tea")
    False
    """
    names = {fold(name) for name in _NAME.findall(text)} - {"i"}
    empty = _EMPTY if text.isupper() else _EMPTY - names
    return tuple(stem(word) for word in _WORD.findall(fold(text)) if word not in empty)


def merge(store: Store, partition: Partition, now_us: int) -> int:
    """Merge the near-duplicates among a partition's active facts; returns how many came under another one.

    Holds a digest and an id for each fact, and the facts of a page.
    """
    groups: dict[bytes, list[str]] = {}
    for fact in _active(store, partition):
        if (key := _group(fact)) is not None:
            groups.setdefault(key, []).append(fact.id)
    many = [ids for ids in groups.values() if len(ids) > 1]
    merged = 0
    for start in range(0, len(many), _GROUPS):
        with store.transaction(partition, verb="consolidate") as transaction:
            merged += sum(_merge_group(transaction, ids, now_us) for ids in many[start : start + _GROUPS])
    return merged


def _active(store: Store, partition: Partition) -> Iterator[Fact]:
    after: int | None = None
    while page := store.listing(partition, Listing(Tier.SEMANTIC, limit=_PAGE, after_row=after, oldest_first=True)):
        yield from (fact for fact in page if isinstance(fact, Fact))
        after = page[-1].row


def _group(fact: Fact) -> bytes | None:
    """What facts must share to be one: their words, their scope, and all that a person set. None stands alone."""
    words = content_key(fact.text)
    if fact.category == SUMMARY or fact.status is not Status.ACTIVE or len(words) < _FEWEST_WORDS:
        return None
    own = (fact.agent_id, fact.project_id, fact.field, fact.evergreen, fact.expires_us, fact.trust == "untrusted")
    key = json.dumps([words, own, dict(fact.metadata)], sort_keys=True)
    return hashlib.blake2b(key.encode(), digest_size=16).digest()


def _merge_group(transaction: Transaction, ids: Sequence[str], now_us: int) -> int:
    """Decided on what stands there now: someone may have changed a fact since it was read."""
    found = [fact for one in ids for fact in transaction.facts(id=one, limit=1)]
    facts = [fact for fact in found if fact.status is Status.ACTIVE]
    if len(facts) < 2 or len({_group(fact) for fact in facts}) > 1:
        return 0
    stays, *others = sorted(facts, key=lambda f: (f.seen_count, f.confidence, f.row), reverse=True)
    changes: list[Change] = []
    verified_us = max(fact.last_verified_us or fact.recorded_us for fact in facts)
    for other in others:
        changes.append(ConfirmFact(stays.id, stays.version, verified_us, other.evidence))
        changes.append(RetireFact(other.id, other.version, Status.SUPERSEDED, WHY, now_us, None, stays.id))
    transaction.apply(changes)
    return len(others)
