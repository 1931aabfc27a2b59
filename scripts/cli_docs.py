"""Write docs/cli.md from the commands' own help, or say with --check that it is out of date (exit code 1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
COMMAND = "python scripts/cli_docs.py"
#: Wide enough for no help text to depend on the terminal of whoever runs this.
WIDTH = 100


def help_pages(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """A command and all below it, as (full name, help text), in the order of their names."""
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH, color=False
    )
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None and not found.hidden:
                yield from help_pages(found, below, context)


def page(command: click.Command) -> str:
    """The whole reference in Markdown."""
    parts = [
        "# Command line",
        f"<!-- Written by `{COMMAND}` from the commands' help; change that, then run it. -->",
        "Exit codes: 0 done, 1 failed, 2 misuse.",
    ]
    for name, text in help_pages(command, "retentive"):
        lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
        parts.append(f"## {name}\n\n```text\n{lines}\n```")
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Write or check the page; returns the exit code."""
    for name in [name for name in os.environ if name.startswith("RETENTIVE_")]:
        del os.environ[name]  # what is shown must not depend on who runs this
    from retentive.cli import main as command  # noqa: PLC0415  after the environment is clean

    text = page(command)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE.name}")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        print(f"{PAGE.name} is up to date")
        return 0
    print(f"docs/{PAGE.name} is out of date: run `{COMMAND}`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
