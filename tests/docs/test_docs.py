"""The documentation says what is there. Its Python examples run as tests of their own (see conftest.py)."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import retentive
from retentive.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_SHELL = {"sh", "bash", "console", "shell"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path, languages: set[str]) -> Iterator[str]:
    """The fenced blocks of a page in one of the languages."""
    for language, text in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language in languages:
            yield text


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get on the usual hosts."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page if not path else (page.parent / path).resolve()
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    assert [link for link in links if "://" not in link and missing(page, link)] == []


def commands(group: click.Command, *before: str) -> Iterator[str]:
    """Full names of a command and of all below it."""
    yield " ".join(before)
    if isinstance(group, click.Group):
        for name, command in group.commands.items():
            yield from commands(command, *before, name)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_that_are_shown_exist(page: Path) -> None:
    shell = "\n".join(blocks(page, _SHELL))
    verbs = set(re.findall(r"^(?:\$ )?retentive ([a-z]+)", shell, re.MULTILINE))
    assert verbs - {name.split(" ")[1] for name in commands(main, "retentive") if " " in name} == set()
    targets = set(re.findall(r"^(?:\$ )?make ([a-z]+)", shell, re.MULTILINE))
    assert targets - set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) == set()


def test_every_command_is_described() -> None:
    headings = set(_HEADING.findall((ROOT / "docs" / "cli.md").read_text(encoding="utf-8")))
    assert set(commands(main, "retentive")) <= headings


def test_the_command_reference_is_up_to_date() -> None:
    script = [sys.executable, "scripts/cli_docs.py", "--check"]
    ran = subprocess.run(script, cwd=ROOT, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_every_setting_is_described() -> None:
    page = ROOT / "docs" / "settings.md"
    said = (retentive.Settings.__doc__ or "") + (page.read_text(encoding="utf-8") if page.is_file() else "")
    words = set(re.findall(r"\w+", said)) | set(re.findall(r"\w+", said.lower().replace("retentive_", "")))
    assert [field.name for field in dataclasses.fields(retentive.Settings) if field.name not in words] == []


def test_the_readme_opens_with_an_example_that_runs() -> None:
    first = next(blocks(ROOT / "README.md", {"python"}), "")
    assert "Memory.open(" in first
    assert len(first.strip().splitlines()) <= 15


def test_the_changelog_speaks_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(retentive.__version__)}\]", text, re.MULTILINE)
    assert "## [Unreleased]" in text
