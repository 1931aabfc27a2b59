"""Files to JSON values, one at a time: plain, .gz, or a ChatGPT export's .zip; one document or a value a line.

A broken piece is handed on as the ValueError it caused, in its place: whoever reads decides whether that is fatal.
"""

from __future__ import annotations

import gzip
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retentive.errors import ImportFailed

_EXPORTED = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_GAP = re.compile(r"[\s,]*")


def read_texts(path: Path) -> Iterator[str]:
    """The text of a file; of a zip, that of each conversations file in it. Raises ImportFailed."""
    try:
        if path.suffix == ".gz":
            yield gzip.decompress(path.read_bytes()).decode("utf-8-sig")
        elif zipfile.is_zipfile(path):
            yield from _zipped(path)
        else:
            yield path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path.name} is not UTF-8 text: {error.reason} at byte {error.start}"
        raise ImportFailed(message) from error
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        message = f"{path.name} cannot be read: {error}"
        raise ImportFailed(message) from error


def _zipped(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if _EXPORTED.fullmatch(name))
        if not names:
            message = f"{path.name} holds no conversations.json: is it a ChatGPT export?"
            raise ImportFailed(message)
        for name in names:
            yield archive.read(name).decode("utf-8-sig")


def records(text: str) -> Iterator[Any]:
    r"""JSON values of a text: the elements of one list, one value, or one a line; a ValueError for a broken one.

    >>> list(records('[{"a": 1}, {"a": 2}]')) == list(records('{"a": 1}\n{"a": 2}'))
    True
    """
    start = len(text) - len(text.lstrip())
    if text.startswith("[", start) and not _is_lines(text[start:]):
        yield from _elements(text, start + 1)
    else:
        yield from _lines(text)


def _is_lines(text: str) -> bool:
    """Is the first of several lines a whole value?"""
    first, _, rest = text.partition("\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _elements(text: str, place: int) -> Iterator[Any]:
    """The elements of a list, decoded one at a time; what follows a broken one cannot be told apart."""
    decode = json.JSONDecoder().raw_decode
    while True:
        place = _after_gap(text, place)
        if text.startswith("]", place):
            return
        try:
            value, place = decode(text, place)
        except (ValueError, RecursionError) as error:
            yield ValueError(f"broken at character {place}: {error}")
            return
        yield value


def _after_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    return gap.end() if gap else place


def _lines(text: str) -> Iterator[Any]:
    """One value a line; a text that is one value over several lines is that value."""
    try:
        yield json.loads(text)
    except RecursionError as error:
        yield ValueError(str(error))
    except ValueError:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                yield ValueError(f"line {number} is not JSON: {error}")
