"""Another package's backend, opened by its own scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from retentive import Memory, plugins
from retentive.backends.sqlite import open_backend
from retentive.errors import ConfigError
from retentive.models.embed_none import NoEmbedder


@dataclass
class EntryPoint:
    """What a package that is installed would have named."""

    opened: list[str]

    def load(self) -> Any:
        def open_it(url: str, settings: Any) -> Any:
            self.opened.append(url)
            return open_backend(":memory:", cache_bytes=settings.cache_mb << 20)

        return open_it


def test_a_scheme_is_opened_by_the_package_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    there = {"mine": [EntryPoint(opened)]}
    monkeypatch.setattr(plugins, "entry_points", lambda *, group, name: there.get(name, []) if group else [])
    with Memory.open("mine://somewhere", embedder=NoEmbedder(), background=False) as memory:
        memory.scope(user_id="alice").remember("Likes tea")
    assert opened == ["mine://somewhere"]
    with pytest.raises(ConfigError, match="theirs://"):
        Memory.open("theirs://somewhere", embedder=NoEmbedder())
