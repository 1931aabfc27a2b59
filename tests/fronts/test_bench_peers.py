"""`retentive bench peers`: a peer in an interpreter of its own is measured, one that is absent or fails is named."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from retentive.bench.peers import worker
from retentive.bench.peers.run import PEERS

Run = Callable[..., Result]

#: A package with the calls of Chroma that are used, over a list: what stands in for the real one.
CHROMA = """
import numpy as np

class Collection:
    def __init__(self):
        self.texts, self.vectors = [], []
    def add(self, ids, documents, embeddings, metadatas):
        self.texts += documents
        self.vectors += embeddings
    def query(self, query_embeddings, n_results, where):
        near = np.argsort(-(np.array(self.vectors) @ np.array(query_embeddings[0])))[:n_results]
        return {"documents": [[self.texts[place] for place in near]]}

class PersistentClient:
    def __init__(self, path, settings):
        pass
    def create_collection(self, name, metadata):
        return Collection()
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter whose environment has a chromadb."""
    package = tmp_path / "site" / "chromadb"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(CHROMA)
    (package / "config.py").write_text("def Settings(**_):\n    pass\n")
    wrapper = tmp_path / "python"
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); sys.argv = sys.argv[1:]"
    run = "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    wrapper.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} -c "{code}; {run}" "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def test_a_peer_is_measured_where_it_is_and_others_are_named_absent(run: Run, python: Path) -> None:
    options = ["--memories", "200", "--searches", "20", "--python", f"chroma={python}", "--only", "chroma"]
    report = json.loads(run("bench", "peers", *options, "--only", "mem0", "--only", "sqlitestore", "--json").stdout)
    assert [one["name"] for one in report["measured"]] == ["Retentive", "Chroma"]
    assert [one["found"] for one in report["measured"]] == [1.0, 1.0]
    assert report["ratios"][0]["search"] > 0
    assert report["commit_rows_per_s"] > report["measured"][0]["rows_per_s"]
    assert report["absent"]["mem0"] == "mem0 is not installed"
    assert "LangGraph SqliteStore" in report["absent"]
    shown = run("bench", "peers", *options, "--only", "mem0").stdout
    assert "Chroma" in shown
    assert "absent: mem0 is not installed" in shown


def test_an_interpreter_that_is_none_and_a_peer_that_is_none_are_said(run: Run) -> None:
    options = ("--memories", "200", "--searches", "20", "--only", "chroma")
    assert "cannot be run" in run("bench", "peers", *options, "--python", "chroma=/no/such/python").stdout
    assert "'chrome' is no peer" in run("bench", "peers", "--only", "chrome", code=1).stderr


def test_a_peer_that_fails_is_reported_with_its_own_words(run: Run, tmp_path: Path, python: Path) -> None:
    broken = CHROMA.replace("return Collection()", "raise OSError('disk full')")
    (tmp_path / "site" / "chromadb" / "__init__.py").write_text(broken)
    options = ("--memories", "200", "--searches", "20", "--only", "chroma", "--python", f"chroma={python}")
    report = json.loads(run("bench", "peers", *options, "--json").stdout)
    assert report["absent"] == {"Chroma": "it failed here: OSError: disk full"}


def test_every_peer_has_a_file_that_loads_without_its_package() -> None:
    for name in PEERS:
        peer = worker.load(name)
        assert peer.REQUIRES
        assert isinstance(peer.DURABLE, bool)
        assert {"add", "add_many", "search", "close"} <= set(dir(peer.start))
