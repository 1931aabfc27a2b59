"""Files that people may edit: names that no two owners share, and a seal that tells an edit.

The seal is a hash of what was written and stands behind `written` in the head. One whose seal is broken was edited.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from retentive.types import Partition

#: Where the seal stands, in Markdown and in JSON.
_SEAL = re.compile(r'^(<!-- as of [0-9a-f]+ for [0-9a-f]+ written |  "written": ")([0-9a-f]{32})', re.MULTILINE)
#: What stands there until it is set.
OPEN_SEAL = "0" * 32
_PLAIN_NAME = re.compile(r"[a-z0-9_-]{1,64}")


def sealed(text: str) -> str:
    """The text with its seal set: the hash of it with an open one."""
    opened = _SEAL.sub(rf"\g<1>{OPEN_SEAL}", text, count=1)
    digest = hashlib.blake2b(opened.encode(), digest_size=16).hexdigest()
    return _SEAL.sub(rf"\g<1>{digest}", text, count=1)


def seal_of(text: str) -> str | None:
    """The seal of a text that is as it was written; None for one that was edited, or never sealed."""
    found = _SEAL.search(text)
    return found.group(2) if found is not None and sealed(text) == text else None


def is_sealed(text: str) -> bool:
    """Whether it is as it was written."""
    return seal_of(text) is not None


def folder_name(name: str) -> str:
    """A name of a folder or file that no two names share, on any file system; it has no blank and no bracket.

    >>> folder_name("alice"), folder_name("../Alice")
    ('alice', '..%2FAlice~55324ac1')
    """
    if _PLAIN_NAME.fullmatch(name):
        return name
    return f"{quote(name, safe='')[:100]}~{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}"


def whose_mark(partition: Partition) -> str:
    """A mark of an owner, so that one owner's document is not taken for another's."""
    return hashlib.blake2b("\0".join(partition).encode(), digest_size=8).hexdigest()


class Place(NamedTuple):
    """Where the files of one owner lie: `folder/stem.md` and its like."""

    folder: Path
    stem: str

    def path(self, end: str) -> Path:
        """The file that ends so."""
        return self.folder / f"{self.stem}.{end}"
