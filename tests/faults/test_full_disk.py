"""Forgetting works where nothing can be written any more; a small file system of its own stands for the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FULL_DISK = Path(__file__).with_name("full_disk.py")
#: A mount that no other process sees, and that goes with this one.
IN_A_SMALL_DISK = 'mount -t tmpfs -o size=6m tmpfs "$1" && exec "$2" "$3" "$1" "$4"'


def can_mount() -> bool:
    tool = shutil.which("unshare")
    return tool is not None and subprocess.run([tool, "-Urm", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="no mount of one's own on this machine")
@pytest.mark.parametrize("how", ["session", "session reopened", "everything", "everything reopened"])
def test_forgetting_works_on_a_full_disk(tmp_path: Path, how: str) -> None:
    tests = str(FULL_DISK.parents[1])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}
    command = ["unshare", "-Urm", "sh", "-c", IN_A_SMALL_DISK, "sh", str(tmp_path), sys.executable, str(FULL_DISK), how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
