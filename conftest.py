"""For every test and every example: no setting, store or home of the developer's machine; documentation runs as tests.

Docstrings are run by pytest's own doctest; the Python blocks of README.md and docs/*.md by Sybil, those of one page
after one another in one empty folder. `<!-- skip: next -->` before a block leaves it out.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

if TYPE_CHECKING:
    import pytest

#: Where programs look for the user's home and data, by platform.
_HOMES = ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")

# A slow machine is no failure. In CI the same examples are tried each time, so that red means the change is to blame.
settings.register_profile("retentive", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("retentive")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run, and the processes that tests start, a home of its own and none of the machine's settings."""
    home = tempfile.TemporaryDirectory(prefix="retentive-home-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    for name in [name for name in os.environ if name.startswith("RETENTIVE_")]:
        del os.environ[name]
    os.environ.update(dict.fromkeys(_HOMES, home.name))


def _enter_folder(namespace: dict[str, Any]) -> None:
    namespace["_folder"] = tempfile.TemporaryDirectory(prefix="retentive-docs-", ignore_cleanup_errors=True)
    namespace["_before"] = Path.cwd()
    os.chdir(namespace["_folder"].name)


def _leave_folder(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_before"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["*.md"],
    setup=_enter_folder,
    teardown=_leave_folder,
).pytest()
