"""One curve with its band, as SVG or PNG. SVG is written here; PNG is drawn by Pillow, from the extra `png`.

The chart is laid out once, as lines, bands and texts in pixels; each format only draws these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from retentive.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDTH, HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 40, 50
_CURVE, _BAND, _GRID, _TEXT = "#1f5fa8", "#c9dcf1", "#dddddd", "#222222"
_FONT_PX = 13
#: PNG is drawn so much larger and brought down, since Pillow draws lines without smoothing.
_OVERSAMPLE = 3

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """What to draw. `points` are (x, y, low, high): x above 0, drawn on a logarithmic axis; the others in percent."""

    title: str
    x_label: str
    y_label: str
    points: Sequence[tuple[float, float, float, float]]


@dataclass(frozen=True, slots=True)
class _Line:
    points: Sequence[Point]
    colour: str
    width_px: float


@dataclass(frozen=True, slots=True)
class _Area:
    points: Sequence[Point]
    colour: str


@dataclass(frozen=True, slots=True)
class _Text:
    at: Point
    anchor: str  # start, middle or end
    text: str


_Mark = _Line | _Area | _Text


def write_chart(curve: Curve, path: Path) -> None:
    """Write the curve to a file whose name ends in .svg or .png.

    Raises InvalidInput for another ending or a curve without points, ConfigError for a PNG without Pillow.
    """
    write = chart_writer(path)
    if not curve.points:
        message = "there is nothing to draw"
        raise InvalidInput(message)
    write(_marks(curve))


def chart_writer(path: Path) -> Callable[[Sequence[_Mark]], None]:
    """What writes that kind of file; asked for beforehand, it says what is missing before the work is done."""
    if path.suffix.lower() == ".svg":
        return partial(_write_svg, path)
    if path.suffix.lower() != ".png":
        message = f"a curve is written as .svg or .png, not {path.name}"
        raise InvalidInput(message)
    try:
        import PIL  # noqa: F401, PLC0415  an extra: looked for only here
    except ImportError as error:
        message = "a PNG needs Pillow: pip install 'retentive[png]', or write an .svg"
        raise ConfigError(message) from error
    return partial(_write_png, path)


# -- layout ------------------------------------------------------------------------------------------------------------
def _marks(curve: Curve) -> list[_Mark]:
    xs = [math.log(x) for x, *_ in curve.points]
    spread = (max(xs) - min(xs)) or 1.0
    across = [_LEFT + (x - min(xs)) / spread * (WIDTH - _LEFT - _RIGHT) for x in xs]
    bottom = _height(0)
    marks: list[_Mark] = [_Text((WIDTH / 2, _TOP / 2), "middle", curve.title)]
    for percent in range(0, 101, 20):
        level = _height(percent)
        marks += [_Line([(_LEFT, level), (WIDTH - _RIGHT, level)], _GRID, 1)]
        marks += [_Text((_LEFT - 8, level), "end", str(percent))]
    for place, (x, *_) in zip(across, curve.points, strict=True):
        marks += [
            _Line([(place, bottom), (place, bottom + 5)], _TEXT, 1),
            _Text((place, bottom + 16), "middle", f"{x:g}"),
        ]
    marks += [_Text((WIDTH / 2, HEIGHT - 14), "middle", curve.x_label), _Text((8, _TOP - 16), "start", curve.y_label)]
    upper = [(place, _height(high)) for place, (*_, high) in zip(across, curve.points, strict=True)]
    lower = [(place, _height(low)) for place, (_, _, low, _) in zip(across, curve.points, strict=True)]
    middle = [(place, _height(y)) for place, (_, y, *_) in zip(across, curve.points, strict=True)]
    marks += [_Area([*upper, *reversed(lower)], _BAND), _Line(middle, _CURVE, 2.5)]
    marks += [
        _Text((place, level - 12), "middle", f"{y:.0f}")
        for (place, level), (_, y, *_) in zip(middle, curve.points, strict=True)
    ]
    return marks


def _height(percent: float) -> float:
    return HEIGHT - _BOTTOM - percent / 100 * (HEIGHT - _TOP - _BOTTOM)


# -- SVG ---------------------------------------------------------------------------------------------------------------
def _write_svg(path: Path, marks: Sequence[_Mark]) -> None:
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="{_FONT_PX}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *map(_svg, marks),
        "</svg>",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _svg(mark: _Mark) -> str:
    if isinstance(mark, _Text):
        x, y = mark.at
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{mark.anchor}" dominant-baseline="middle"'
        return f"<text {place} fill='{_TEXT}'>{escape(mark.text)}</text>"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in mark.points)
    if isinstance(mark, _Area):
        return f'<polygon points="{points}" fill="{mark.colour}"/>'
    return f'<polyline points="{points}" fill="none" stroke="{mark.colour}" stroke-width="{mark.width_px}"/>'


# -- PNG ---------------------------------------------------------------------------------------------------------------
def _write_png(path: Path, marks: Sequence[_Mark]) -> None:
    from PIL import Image, ImageDraw  # noqa: PLC0415

    image = Image.new("RGB", (WIDTH * _OVERSAMPLE, HEIGHT * _OVERSAMPLE), "#ffffff")
    draw = ImageDraw.Draw(image)
    for mark in marks:
        _draw(draw, mark)
    image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(path, "PNG")


def _draw(draw: ImageDraw, mark: _Mark) -> None:
    from PIL import ImageFont  # noqa: PLC0415

    if isinstance(mark, _Text):
        anchor = {"start": "lm", "middle": "mm", "end": "rm"}[mark.anchor]
        font = ImageFont.load_default(_FONT_PX * _OVERSAMPLE)  # comes with Pillow
        draw.text(_large(mark.at), mark.text, fill=_TEXT, font=font, anchor=anchor)
    elif isinstance(mark, _Area):
        draw.polygon([_large(point) for point in mark.points], fill=mark.colour)
    else:
        draw.line([_large(point) for point in mark.points], mark.colour, round(mark.width_px * _OVERSAMPLE), "curve")


def _large(point: Point) -> Point:
    return point[0] * _OVERSAMPLE, point[1] * _OVERSAMPLE
