"""Export to a file: JSON lines that lose nothing, Markdown for people, CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

from retentive.checking import checked_path
from retentive.contracts import Store
from retentive.echo import echo
from retentive.errors import InvalidInput
from retentive.lifecycle import sheet
from retentive.lifecycle.portable import export_lines
from retentive.lifecycle.readable import markdown_lines
from retentive.types import Partition
from retentive.whole_file import write_whole

ExportFormat = Literal["jsonl", "markdown", "csv"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
_BY_SUFFIX: dict[str, ExportFormat] = {".md": "markdown", ".markdown": "markdown", ".csv": "csv"}


def export(store: Store, partition: Partition, path: str | Path, format_: ExportFormat | None) -> int:
    """Write the export to a file that appears only when it is complete; returns the number of lines."""
    target = checked_path(path, "the path of an export")
    if format_ is not None and format_ not in FORMATS:
        message = f"unknown format {echo(format_)}: use one of {', '.join(FORMATS)}"
        raise InvalidInput(message)
    if not target.parent.is_dir() or target.is_dir():
        message = f"{str(target)!r} cannot be written: give the path of a file in a folder that exists"
        raise InvalidInput(message)
    kind = format_ or _BY_SUFFIX.get(target.suffix.lower(), "jsonl")
    if kind == "csv":
        return write_whole(target, sheet.sheet_lines(store, partition), encoding=sheet.ENCODING)
    return write_whole(
        target, markdown_lines(store, partition) if kind == "markdown" else _json_lines(store, partition)
    )


def _json_lines(store: Store, partition: Partition) -> Iterator[str]:
    return (f"{line}\n" for line in export_lines(store, partition))
