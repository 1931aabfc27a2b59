"""What models are told, one file a task. A prompt's hash stands in the provenance of what was made with it.

The files are `string.Template` texts: `$name` is filled in, and JSON braces need no escapes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it stands in its file. `version` is 12 hexadecimal digits of its SHA-256."""

    name: str
    text: str
    version: str

    def filled(self, **values: str) -> str:
        """The text with each `$name` filled in. Raises KeyError for a name that no value is given for."""
        return Template(self.text).substitute(values)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of that name, read once a process.

    >>> load_prompt("extract").filled(categories="event, other", fields="name, tone").startswith("You read")
    True
    """
    text = (resources.files(__name__) / f"{name}.md").read_text("utf-8").strip()
    return Prompt(name, text, hashlib.sha256(text.encode()).hexdigest()[:12])
