"""What all verbs of a scope share, and the verbs for files."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from retentive import recall as recalling
from retentive.checking import checked_session_id
from retentive.cleaning import Cleaner
from retentive.config import Settings
from retentive.contracts import Remembered
from retentive.contracts.audit import LOCAL
from retentive.contracts.files import KeepsFiles
from retentive.document import parse, render
from retentive.learn import Rules
from retentive.lifecycle import edit as editing
from retentive.lifecycle import export as exporting
from retentive.lifecycle import portable
from retentive.lifecycle.archive import Line, archive_beside
from retentive.lifecycle.edit import Editor, EditReport
from retentive.lifecycle.erase import Forgetting
from retentive.lifecycle.export import ExportFormat
from retentive.lifecycle.retention import Retention
from retentive.mirroring import editor_of
from retentive.parts import Parts
from retentive.read_log import reads_of
from retentive.redaction import RedactionPolicy
from retentive.results import Item, Receipt, ReceiptItem, noted
from retentive.types import Episode, Fact, Scope, SessionInfo

log = logging.getLogger("retentive")

Result = TypeVar("Result")


def rules_of(settings: Settings, policy: RedactionPolicy) -> Rules:
    """What new facts are held to, as the settings say."""
    return Rules(policy, settings.review_topics, settings.profile_fields, settings.profile_chars)


def warn_of_plain_copies(settings: Settings, retention: Retention) -> None:
    """Say what of an encrypted store is written where it can be read."""
    plain = {"mirrors (RETENTIVE_MIRROR_DIR)": settings.mirror_dir is not None, "archives": retention.archives}
    if settings.store_key is not None and any(plain.values()):
        named = " and ".join(name for name, written in plain.items() if written)
        log.warning("the store is encrypted, its %s are not: keep them on an encrypted disk, or leave them out", named)


class ScopeBase:
    """A scope, the store as it acts there, and what applies to it."""

    def __init__(self, parts: Parts, scope: Scope, actor: str = LOCAL) -> None:
        self.scope = scope
        self._parts, self._settings = parts, parts.settings
        self._backend = replace(parts.backend, store=parts.backend.store.acting(actor))
        self._store, self._partition = self._backend.store, scope.partition
        self._reads = reads_of(parts.reads, actor, scope.partition)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.scope})"

    def _shown(self, verb: str, result: Result) -> Result:
        """What a verb shows its caller, entered in the audit where reads are."""
        if self._reads is not None:
            self._reads(verb, result)
        return result

    def _cleaner(self) -> Cleaner:
        return Cleaner(self._parts.policy)

    def _receipt(self, items: Iterable[ReceiptItem], note: str | None = None) -> Receipt:
        """What a write came to, with what there is to say of it; background work is told."""
        self._parts.wake()
        late = self._store.late(self._partition) if isinstance(self._store, KeepsFiles) else None
        return Receipt(tuple(noted(noted(item, note), late) for item in items))

    def _session_name(self, session_id: str | None) -> str | None:
        """A session's id as it is stored: a secret in one is not."""
        return None if session_id is None else self._cleaner().name(checked_session_id(session_id))

    def _mine(self, one: Fact | Episode | SessionInfo) -> bool:
        """Does it apply to this scope's agent and project?"""
        scope = self.scope
        return (scope.agent_id is None or one.agent_id in {None, scope.agent_id}) and (
            scope.project_id is None or one.project_id in {None, scope.project_id}
        )

    def _forgetting(self) -> Forgetting:
        archive = archive_beside(self._store, Retention.read(self._settings.retention))
        return Forgetting(self._backend, self._partition, archive, self._parts.mirrors, self._narrow)

    def _narrow(self, line: Line) -> bool:
        """Does an archived memory apply to this scope's agent and project?"""
        scope = self.scope
        return scope.agent_id in {None, line["agent_id"]} and scope.project_id in {None, line["project_id"]}

    def _item(self, memory: Remembered) -> Item:
        return recalling.to_items(self._backend, self.scope, [memory])[memory.row]


class Files(ScopeBase):
    """The verbs for files."""

    def export(self, path: str | Path, *, format: ExportFormat | None = None) -> int:  # noqa: A002
        """Write all memories of this user (or agent), every version; returns the number of lines.

        format: `jsonl` loses nothing and can be imported; `markdown` is for people, `csv` for spreadsheets. By default
        what the path ends in says it: .md, .csv, anything else is JSON lines.
        """
        return self._shown("export", exporting.export(self._store, self._partition, path, format))

    def import_(self, path: str | Path) -> Receipt:
        """Take in an export, all of it or nothing; what is here stays. Raises ImportFailed."""
        return self._receipt(portable.import_(self._store, self._partition, path, self._parts.policy).items)

    def document(self) -> str:
        """Profile and facts as one Markdown text to edit and give to `apply_document`; each line carries its mark."""
        document = editing.document_of(self._editor())
        whose = self.scope.user_id or self.scope.agent_id or ""
        text = render(document, f"What is remembered of {whose}", self._settings.profile_fields)
        return self._shown("document", text)

    def apply_document(self, text: str) -> EditReport:
        """Do what a person's edits of `document()` ask for, all of it or nothing.

        A changed line is corrected, a line taken out is no longer believed, a new one is remembered. What somebody else
        changed meanwhile stays beside it, disputed. Raises DocumentError that names the line it cannot read,
        InvalidInput for a profile field that is none.
        """
        report = editing.apply(self._editor(), parse(text))
        self._parts.wake()
        return report

    def _editor(self) -> Editor:
        return editor_of(self._store, self.scope, self._mine, self._parts.settings, self._parts.policy)
