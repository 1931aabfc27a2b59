"""The verbs for files, to await."""

from __future__ import annotations

from pathlib import Path

from retentive.aio_session import in_thread
from retentive.lifecycle.edit import EditReport
from retentive.lifecycle.export import ExportFormat
from retentive.results import Receipt
from retentive.scoped import ScopedMemory


class AsyncFiles:
    """See `Files`."""

    def __init__(self, mine: ScopedMemory) -> None:
        self.mine = mine

    async def export(self, path: str | Path, *, format: ExportFormat | None = None) -> int:  # noqa: A002
        """Write all memories to a file: JSON lines, Markdown or CSV."""
        return await in_thread(self.mine.export, path, format=format)

    async def document(self) -> str:
        """Profile and facts as one Markdown text to edit."""
        return await in_thread(self.mine.document)

    async def apply_document(self, text: str) -> EditReport:
        """Do what a person's edits of `document()` ask for."""
        return await in_thread(self.mine.apply_document, text)

    async def import_(self, path: str | Path) -> Receipt:
        """Take in an export."""
        return await in_thread(self.mine.import_, path)
