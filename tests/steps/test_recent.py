"""What is kept of late stays within its limit and is right after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from retentive.recent import RecentBytes

LIMIT = 2000


@given(st.lists(st.tuples(st.lists(st.integers(0, 12), unique=True), st.lists(st.integers(0, 12)))))
def test_it_answers_as_the_source_does(turns: list[tuple[list[int], list[int]]]) -> None:
    source = {row: bytes(40 * row) for row in range(0, 12, 2)}
    recent = RecentBytes(LIMIT)

    def read(rows: Sequence[int]) -> Mapping[int, bytes]:
        return {row: source[row] for row in rows if row in source}

    for wanted, changed in turns:
        assert recent.of(wanted, read) == [source.get(row, b"") for row in wanted]
        assert 0 <= recent.byte_size <= LIMIT
        for row in changed:
            source[row] = source.get(row, b"") + b"!"
        recent.drop(changed)
    recent.drop(range(13))
    assert recent.byte_size == 0


def test_who_was_wanted_longest_ago_goes_first() -> None:
    asked: list[int] = []

    def read(rows: Sequence[int]) -> Mapping[int, bytes]:
        asked.extend(rows)
        return dict.fromkeys(rows, bytes(500))

    recent = RecentBytes(LIMIT)
    for row in (1, 2, 3, 1, 4, 1, 2):
        recent.of([row], read)
    assert asked == [1, 2, 3, 4, 2]
