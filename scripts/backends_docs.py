"""Write the tables of docs/backends.md from a run of the conformance suite, or say with --check that they are old.

Exit code 1 where they are, or where a check failed. Every engine is really run: the page says what came of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from retentive.testing import CHECKS, Report, conformance
from retentive.testing.engines import engines

PAGE = Path(__file__).resolve().parents[1] / "docs" / "backends.md"
COMMAND = "python scripts/backends_docs.py"
#: What stands above it is written by hand.
MARK = f"<!-- From here on written by `{COMMAND}`: change the checks or the engines, then run it. -->"
MARKS = {"held": "yes", "declared": "differs", "not shared": "–", "failed": "**no**"}


def table(reports: Sequence[Report]) -> Iterator[str]:
    """A line a check, by topic; a column an engine."""
    yield f"| what must hold | {' | '.join(report.engine.name for report in reports)} |"
    yield f"|---|{'---|' * len(reports)}"
    for topic, checks in groupby(CHECKS, key=lambda one: one.topic):
        yield f"| **{topic}** |{' |' * len(reports)}"
        for one in checks:
            marks = " | ".join(MARKS[report.outcomes[one.name]] for report in reports)
            yield f"| {one.says} | {marks} |"


def deviations(reports: Sequence[Report]) -> Iterator[str]:
    """What each engine does otherwise, in its own words."""
    says = {one.name: one.says for one in CHECKS}
    for report in reports:
        yield f"### {report.engine.name}\n"
        yield from (f"- *{says[name]}* {why}" for name, why in report.engine.lacks.items())
        yield "" if report.engine.lacks else "None.\n"


def page(head: str, reports: Sequence[Report]) -> str:
    """The whole page in Markdown."""
    parts = [head.strip(), MARK, "## What holds", "\n".join(table(reports))]
    parts += ["## What differs", "\n".join(deviations(reports)).strip()]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Run the suite, then write or check the page; returns the exit code."""
    with engines() as found:
        reports = [conformance(engine, CHECKS) for engine in found]
    if any(report.failed for report in reports):
        return 1
    before = PAGE.read_text(encoding="utf-8")
    text = page(before.partition(MARK)[0], reports)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE.name}")
        return 0
    if before == text:
        print(f"{PAGE.name} is up to date")
        return 0
    print(f"docs/{PAGE.name} is out of date: run `{COMMAND}`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
