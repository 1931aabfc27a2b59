"""Placeholders put in for findings, and the way from the resulting text back to the given one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from retentive.redaction.policy import Span, placeholder


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans sorted, overlapping ones as one, under the kind of the longest.

    >>> merged([Span(4, 9, "b"), Span(0, 5, "a"), Span(9, 12, "c")])
    [Span(start=0, end=9, kind='a'), Span(start=9, end=12, kind='c')]
    """
    given = list(spans)
    if len(given) < 2:
        return given
    joined: list[Span] = []
    longest = 0
    for span in sorted(given, key=lambda s: (s.start, -s.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            kind = span.kind if span.end - span.start > longest else last.kind
            longest = max(longest, span.end - span.start)
            joined[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            joined.append(span)
            longest = span.end - span.start
    return joined


class Replaced:
    """`text` with a placeholder for each of `spans`, which are sorted and do not overlap."""

    __slots__ = ("_begins", "_spans", "_stops", "text")

    def __init__(self, text: str, spans: list[Span]) -> None:
        parts: list[str] = []
        self._spans = spans
        self._begins: list[int] = []  # where each placeholder stands in the new text
        self._stops: list[int] = []
        done = length = 0
        for span in spans:
            new = placeholder(span.kind)
            parts += (text[done : span.start], new)
            length += span.start - done
            self._begins.append(length)
            length += len(new)
            self._stops.append(length)
            done = span.end
        parts.append(text[done:])
        self.text = "".join(parts)

    def given(self, found: Span) -> Span:
        """A span of the new text as one of the given text; a placeholder it touches is taken in whole."""
        first = bisect_right(self._begins, found.start) - 1
        last = bisect_left(self._begins, found.end) - 1
        start, end = found.start, found.end
        if first >= 0:
            inside = start < self._stops[first]
            start = self._spans[first].start if inside else start - self._stops[first] + self._spans[first].end
        if last >= 0:
            end = self._spans[last].end + max(0, end - self._stops[last])
        return Span(start, end, found.kind)
