"""What the command line prints, on terminals and into pipes of all kinds."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from retentive.cli.output import clipped, printable, table

Run = Callable[..., Result]


# -- terminals and pipes -----------------------------------------------------------------------------------------------
HOSTILE = "red \x1b[31m alert\x1b]0;title\x07 \u202egnp.exe\nsecond line"


def test_stored_text_steers_no_terminal(run: Run) -> None:
    run("remember", HOSTILE)
    run("record", HOSTILE, "--session", "s1", "--name", "Mallory")
    (fact,) = [item["id"] for item in json.loads(run("list", "--tier", "semantic", "--json").stdout)["items"]]
    shown = (
        ("list",),
        ("recall", "alert"),
        ("why", fact),
        ("history", fact),
        ("session", "show", "s1"),
        ("block", "red"),
    )
    for arguments in shown:
        text = run(*arguments).stdout
        assert "alert" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text), arguments


def process(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "retentive.cli", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_utf8_shows_what_it_can(run: Run, encoding: str) -> None:
    run("remember", "Grüße aus 東京 😀")
    legacy = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    out = b""
    for arguments in (("list",), ("block", "Grüße"), ("list", "--json")):
        child = process(*arguments, env=legacy)
        out, err = child.communicate()
        assert (child.returncode, err.decode()) == (0, "")
        assert b"Gr" in out
    assert json.loads(out.decode("ascii"))["items"][0]["text"] == "Grüße aus 東京 😀"


def test_a_pipe_closed_early_is_no_traceback(run: Run) -> None:
    for number in range(50):
        run("record", *(f"line {number} of many that fill the pipe {'x' * 100}" for _ in range(50)), "--no-process")
    child = process("list", "--limit", "2500")
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    assert child.stderr.read().decode() == ""
    child.stderr.close()
    child.wait()


@pytest.mark.usefixtures("settings")
def test_exit_codes_of_a_real_process() -> None:
    for arguments, code in ((("list",), 0), (("recall", "x", "-k", "0"), 1), (("recall",), 2)):
        child = process(*arguments)
        _, err = child.communicate()
        assert child.returncode == code
        assert b"Traceback" not in err


def test_help_loads_neither_numpy_nor_the_database() -> None:
    code = "import sys, retentive.cli; sys.exit(bool({'numpy', 'apsw', 'httpx2', 'onnxruntime'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- output ------------------------------------------------------------------------------------------------------------
def test_tables_keep_their_columns_with_wide_characters() -> None:
    lines = table(("WHO", "TEXT"), [("記憶", "a"), ("Al", "b")])
    assert lines == ["WHO   TEXT", "記憶  a", "Al    b"]


def test_a_terminal_gets_lines_within_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "40")
    assert [len(line) for line in table(("A", "TEXT"), [("x", "long " * 40)])][1] <= 40


def test_clipping_counts_columns() -> None:
    assert clipped("記憶記憶", 5) == "記憶…"
    assert clipped("short", 5) == "short"


def test_printable_shows_what_is_hidden() -> None:
    assert printable("a\x1b[0m\u200bb\tc") == "a\\x1b[0m\\u200bb c"


def test_an_explained_recall_is_a_table_of_arms_by_hits(run: Callable[..., Result]) -> None:
    for text in ("The garden gate is green", "the garden  gate is GREEN", "The kitchen window is green"):
        run("record", text, "--session", "s")
    shown = run("recall", "garden gate in spring", "--explain", "-k", "2").stdout
    head, *rows = shown[shown.index("ARM") :].splitlines()
    assert head.split() == ["ARM", "SHARE", "1.", "2."]
    cells = {row.split()[0]: row.split() for row in rows if row}
    assert {"text", "session", "decay", "score", "tokens", "ahead"} <= set(cells)
    assert ">" in cells["text"]
    assert "says the same as" in shown
    assert "words: garden" in shown
    assert "ARM" not in run("recall", "garden gate").stdout
    trace = json.loads(run("recall", "garden gate", "--explain", "--json").stdout)["trace"]
    assert {"arms", "decay", "mmr_penalty", "tokens", "runner_up"} <= set(trace["hits"][0])
