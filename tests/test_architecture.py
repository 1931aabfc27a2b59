"""What must stay small, light and in its place. Import rules are in pyproject.toml, for import-linter."""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import retentive

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "retentive"

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_SETTINGS = 40
MAX_HARD_DEPENDENCIES = 12
MAX_BASE_PACKAGES = 25

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), path.name)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, Function))


def is_read(node: ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


# -- size ------------------------------------------------------------------------------------------------------------
def test_files_are_short() -> None:
    lengths = {name_of(p): len(p.read_text(encoding="utf-8").splitlines()) for p in sources("src", "tests", "scripts")}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    long = {
        f"{name_of(path)}:{function.name}": lines
        for path in sources("src", "tests", "scripts")
        for function in functions(path)
        if (lines := (function.end_lineno or function.lineno) - function.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_settings_are_few() -> None:
    assert len(dataclasses.fields(retentive.Settings)) <= MAX_SETTINGS


def test_an_install_is_light() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "requirements" / "base.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(project["dependencies"]) <= MAX_HARD_DEPENDENCIES
    assert len(set(locked)) + 1 <= MAX_BASE_PACKAGES  # the locked ones and Retentive itself


def test_lock_files_pin_by_hash_and_name_no_registry() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        blocks = re.split(r"\n(?=\w)", text.strip())
        unhashed = [block.split()[0] for block in blocks if "--hash=sha256:" not in block or "==" not in block]
        assert unhashed == [], path.name
        assert re.search(r"://|--(extra-)?index|--find-links", text) is None, path.name


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert retentive.__version__ == project["version"]


# -- one place for each thing ----------------------------------------------------------------------------------------
def test_only_the_settings_read_the_environment() -> None:
    """Written to it may be: that is how a library is told to keep quiet."""
    reading = set()
    for path in sources("src"):
        written = {id(n.value) for n in ast.walk(tree(path)) if isinstance(n, ast.Subscript) and not is_read(n)}
        names = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Attribute) and id(n) not in written]
        if any(name.attr in {"environ", "environb", "getenv"} for name in names):
            reading.add(name_of(path))
    assert reading == {"src/retentive/config.py"}


# -- errors are typed and never swallowed ----------------------------------------------------------------------------
#: A job may die of anything; what it died of is stored as its reason, and the next job is run. What a call in a thread
#: of the server raises is raised where its result is awaited.
KEEPS_THE_REASON = {
    "src/retentive/jobs.py",
    "src/retentive/server/operations.py",
    "src/retentive/server/threads.py",
    "src/retentive/worker.py",
}


def test_no_handler_is_broad_unless_it_raises_again_or_keeps_the_reason() -> None:
    broad = {
        name_of(path)
        for path in sources("src")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}))
        and not isinstance(node.body[-1], ast.Raise)
    }
    assert broad == KEEPS_THE_REASON


# -- nothing of the machine it was made on ---------------------------------------------------------------------------
def test_no_path_of_a_machine_is_in_any_file() -> None:
    files = [*sources("src", "scripts"), *ROOT.glob("[!.]*.*"), *(ROOT / "docs").glob("*")]
    files += [ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "requirements").glob("*")]
    found = re.compile(r"(?<![\w./:-])/(work|root|home/\w+|Users/\w+)/")
    assert {name_of(p) for p in files if p.is_file() and found.search(p.read_text(encoding="utf-8"))} == set()
