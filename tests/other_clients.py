"""What other people's clients are tested with: a served store and its key, and a way to run programs of Node's."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from retentive import Memory

#: Runs a program of Node's packages to its end.
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Server:
    """A served store that knows alice, and the key that opens it."""

    memory: Memory
    url: str
    key: str

    @property
    def mcp(self) -> str:
        """Where MCP is."""
        return f"{self.url}/mcp?user_id=alice&profile=all"
