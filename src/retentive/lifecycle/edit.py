"""Memory as a document to edit: what is current, and a person's edits of it applied, in one transaction.

What others changed since the document was made is never undone: both stand, disputed, and the report says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from retentive.analyze import index_terms
from retentive.block import profile_value
from retentive.cleaning import Cleaner
from retentive.clock import now_us
from retentive.contracts import Listing, Store, Transaction
from retentive.document import PROFILE, Added, Clash, Corrected, Document, Edit, Known, Line, Removed, differences
from retentive.errors import DocumentError
from retentive.lifecycle.portable import everything
from retentive.marked import whose_mark
from retentive.remember import decide, new_fact, new_version, place, retire, stand_beside, superseded_by, twins
from retentive.results import fact_item
from retentive.revise import current, revised
from retentive.statement import atoms
from retentive.types import CATEGORIES, DisputeFact, Fact, Partition, Scope, Status, Tier

#: In this order: what is removed says nothing against what is added.
_ORDER = (Removed, Corrected, Clash, Added)
InScope = Callable[[Fact], bool]
_SAME = "corrected by hand to the same words"
_CONTRADICTS = "corrected by hand, and another line says otherwise"


@dataclass(frozen=True, slots=True)
class EditReport:
    """What became of a person's edits: ids of facts, and of each clash the id and what was done about it."""

    corrected: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    clashes: tuple[tuple[str, str], ...] = ()

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return bool(self.corrected or self.removed or self.added or self.clashes)


@dataclass(frozen=True, slots=True)
class Editor:
    """Whose memory is edited, and what every new text passes: the redactor, and the limits of profile fields."""

    store: Store
    scope: Scope
    in_scope: InScope
    cleaner: Cleaner
    check_field: Callable[[str, str], object]

    @property
    def partition(self) -> Partition:
        """Where it is stored."""
        return self.scope.partition


def document_of(editor: Editor) -> Document:
    """What is current now."""
    newest = editor.store.listing(editor.partition, Listing(status=None, limit=1))
    as_of = newest[0].row if newest else 0
    facts = [fact for fact in _current(editor).values() if fact.row <= as_of]
    return Document(as_of, tuple(map(line_of, facts)), whose_mark(editor.partition))


def _current(editor: Editor) -> dict[str, Fact]:
    """What is current of what people state; what background jobs write themselves is not theirs to edit."""
    found = everything(editor.store, editor.partition, tier=Tier.SEMANTIC, status="active")
    facts = (fact for fact in found if isinstance(fact, Fact) and editor.in_scope(fact))
    return {fact.id: fact for fact in facts if fact.field is not None or fact.category in CATEGORIES}


def line_of(fact: Fact) -> Line:
    """A fact as the document shows it."""
    said = fact.text if fact.field is None else profile_value(fact_item(fact))
    section = fact.category if fact.field is None else PROFILE
    return Line(section, said.strip(), fact.field, fact.id, fact.version)


# -- what the edits meet -----------------------------------------------------------------------------------------------
def edits_of(editor: Editor, document: Document) -> list[Edit]:
    """What an edited document asks for. Raises DocumentError for one of another scope."""
    if document.whose != whose_mark(editor.partition):
        message = "this document is of another user or agent: nothing was changed"
        raise DocumentError(message)
    named = {line.id: line.version for line in document.lines if line.id is not None}
    now = _current(editor)
    known: dict[str, Known] = {}
    for fact_id in dict.fromkeys([*now, *named]):
        versions = _versions(editor, fact_id, now.get(fact_id), named)
        if versions:
            known[fact_id] = _known(now.get(fact_id), versions)
    return [part for edit in differences(document, known) for part in _apart(edit)]


def _apart(edit: Edit) -> list[Edit]:
    """A line that somebody added is a fact for each statement it makes, as where it is given to `remember`."""
    if not isinstance(edit, Added) or edit.line.field is not None:
        return [edit]
    return [Added(replace(edit.line, text=text)) for text in atoms(edit.line.text)]


def _versions(editor: Editor, fact_id: str, now: Fact | None, named: Mapping[str, int]) -> Sequence[Fact]:
    """The versions that matter: the current one alone where it is the one that was shown."""
    if now is not None and (now.version == 1 or named.get(fact_id) == now.version):
        return [now]
    return [fact for fact in editor.store.versions(editor.partition, fact_id) if editor.in_scope(fact)]


def _known(now: Fact | None, versions: Sequence[Fact]) -> Known:
    then = {fact.version: line_of(fact) for fact in versions}
    first_row = min(fact.row for fact in versions)
    return Known(None, 0, first_row, then) if now is None else Known(line_of(now), now.row, first_row, then)


# -- doing it ----------------------------------------------------------------------------------------------------------
def apply(editor: Editor, document: Document, key: str | None = None) -> EditReport:
    """Do what an edited document asks for, all of it or nothing. Raises Conflict when a change came in between.

    key: names these edits, so that applying them again adds nothing twice.
    """
    edits = edits_of(editor, document)
    for edit in edits:
        line = None if isinstance(edit, Removed) else edit.line
        if line is not None and line.field is not None:
            editor.check_field(line.field, line.text)
    with editor.store.transaction(editor.partition) as transaction:
        in_order = sorted(edits, key=lambda edit: _ORDER.index(type(edit)))
        corrected = {edit.id for edit in edits if isinstance(edit, Corrected)}
        said = {fact.id: fact.digest for one in corrected for fact in transaction.facts(id=one, limit=1)}
        done = [(edit, _do(editor, transaction, edit, key)) for edit in in_order]
        for fact_id in sorted(corrected):
            _only_one(transaction, fact_id)
        for fact in (fact for one in sorted(said) for fact in transaction.facts(id=one, limit=1)):
            if fact.digest != said[fact.id]:
                _meet(transaction, fact, corrected)
    return EditReport(
        corrected=_ids(one for edit, one in done if isinstance(edit, Corrected)),
        removed=_ids(one for edit, one in done if isinstance(edit, Removed)),
        added=_ids(one for edit, one in done if isinstance(edit, Added)),
        clashes=tuple((edit.id, edit.reason) for edit, _ in done if isinstance(edit, Clash)),
    )


def _ids(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(one for one in found if one is not None)


def _do(editor: Editor, transaction: Transaction, edit: Edit, key: str | None) -> str | None:
    """Carry out one edit; returns the id of the fact it left or took."""
    if isinstance(edit, Removed):
        retire(transaction, current(transaction, edit.id, edit.version), "removed by hand", Status.REJECTED)
        return edit.id
    if isinstance(edit, Corrected):
        old = current(transaction, edit.id, edit.version)
        category = {} if edit.line.section == PROFILE else {"category": edit.line.section}
        fresh = revised(editor.scope, old, _text(edit.line), category, editor.cleaner)
        theirs = replace(fresh, source="user", trust="user", confidence=1.0)  # from now on it is the person's word
        new_version(transaction, old, theirs, now_us(), "corrected by hand")
        return edit.id
    if edit.line is None or (isinstance(edit, Clash) and edit.gone):
        return None
    fact = _new(editor, edit.line, key)
    done_before = fact.idempotency_key is not None and transaction.facts(idempotency_key=fact.idempotency_key)
    if isinstance(edit, Clash) and not done_before:
        old_now = transaction.facts(id=edit.id, limit=1)
        if old_now:
            stand_beside(transaction, fact, old_now[0], "changed in two places at once")
            return fact.id
    return place(transaction, fact, {fact.id: index_terms(fact.text)}).id


def _only_one(transaction: Transaction, fact_id: str) -> None:
    """Others that say the same as a corrected fact now give way to it: two lines became one."""
    for fact in transaction.facts(id=fact_id, limit=1):
        same = [superseded_by(fact, twin, _SAME, fact.recorded_us) for twin in twins(transaction, fact)]
        transaction.apply(same)


def _meet(transaction: Transaction, fact: Fact, corrected: AbstractSet[str]) -> None:
    """New words take the place of what they contradict, as in `update`; two lines corrected at once stand, disputed."""
    decision, known = decide(transaction, fact)
    met = [known[one] for one in decision.target_ids]
    replaced = [old for old in met if decision.action == "supersede" and old.id not in corrected]
    transaction.apply([superseded_by(fact, old, decision.reason, fact.recorded_us) for old in replaced])
    unclear = [old for old in met if decision.action != "confirm" and old not in replaced]
    if unclear:
        transaction.apply([DisputeFact(old.id, old.version, _CONTRADICTS) for old in (fact, *unclear)])


def _text(line: Line) -> str:
    return line.text if line.field is None else f"{line.field}: {line.text}"


def _new(editor: Editor, line: Line, key: str | None) -> Fact:
    own = hashlib.blake2b("\0".join(map(str, line.says)).encode(), digest_size=8).hexdigest()
    return new_fact(
        editor.scope,
        _text(line),
        editor.cleaner,
        category=None if line.section == PROFILE else line.section,
        field=line.field,
        idempotency_key=None if key is None else f"{key}:{own}",
    )
