"""Which files people read are kept beside a store: mirrors in a folder, or the pages of a store that is one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from retentive.cleaning import Cleaner
from retentive.config import Settings
from retentive.contracts import Store
from retentive.contracts.audit import MIRROR
from retentive.contracts.files import KeepsFiles
from retentive.errors import ConfigError
from retentive.lifecycle.edit import Editor
from retentive.lifecycle.folder_files import FolderFiles
from retentive.lifecycle.mirror import Mirrors
from retentive.profile import checked_profile
from retentive.redaction import RedactionPolicy
from retentive.session import is_gone, process_mark
from retentive.types import Fact, Partition, Scope, scope_of


def editor_of(
    store: Store, scope: Scope, in_scope: Callable[[Fact], bool], settings: Settings, policy: RedactionPolicy
) -> Editor:
    """What edits of a scope's document go through."""

    def check_field(field: str, value: str) -> None:
        checked_profile(settings, {field: value})

    return Editor(store, scope, in_scope, Cleaner(policy), check_field)


def mirrors_of(store: Store, settings: Settings, policy: RedactionPolicy) -> Mirrors | None:
    """The mirrors that the settings name a folder for, or the files of a store that is a folder."""
    acting = store.acting(MIRROR)
    keeper = acting if isinstance(acting, KeepsFiles) else None
    if settings.mirror_dir is None and keeper is None:
        return None
    if settings.mirror_dir is not None and keeper is not None:
        message = "a store that is a folder keeps its own files: leave RETENTIVE_MIRROR_DIR out"
        raise ConfigError(message)

    def editor_for(partition: Partition) -> Editor:
        return editor_of(acting, scope_of(partition), lambda _: True, settings, policy)

    if keeper is None:
        folder = Path(settings.mirror_dir or "").expanduser()
        return Mirrors(folder, acting, editor_for, settings.profile_fields, process_mark(), is_gone)
    how = (acting, editor_for, settings.profile_fields, process_mark(), is_gone)
    files = FolderFiles(keeper.folder, *how, keeper=keeper, policy=policy)
    with contextlib.suppress(OSError):  # looked at again at the next run
        files.sync()
    return files


def write_pages(store: Store, settings: Settings, policy: RedactionPolicy) -> None:
    """Bring the pages of a store that is a folder up to date, as opening it does; of another store there are none."""
    if isinstance(store, KeepsFiles):
        mirrors_of(store, replace(settings, mirror_dir=None), policy)
