"""How pages are made: templates that escape, a few ways to write values, and the files beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from retentive import __version__
from retentive.plain import plain

#: Nothing of another origin, nothing inline, in nobody's frame.
_HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    # with no-referrer a browser would say that its own forms come from nowhere, and the guard would refuse them
    "referrer-policy": "same-origin",
}
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FOR_EVER = "public, max-age=31536000, immutable"  # the name in a page changes with the content


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that pages load, and what tells it from its other versions."""

    content: bytes
    media_type: str
    version: str


class Views:
    """Templates and files, read once."""

    def __init__(self) -> None:
        here = Path(__file__).parent
        self._files = {path.name: _asset(path) for path in sorted((here / "static").iterdir())}
        self._made = Environment(
            loader=FileSystemLoader(here / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._made.filters |= {"when": when, "num": number, "money": money, "cut": cut, "json": shown_json}
        self._made.globals |= {
            "version": __version__,
            "static": {name: f"/static/{name}?v={asset.version}" for name, asset in self._files.items()},
        }

    def page(self, template: str, code: int = 200, **values: Any) -> Response:
        """A page as it is sent."""
        text = self._made.get_template(template).render(values)
        return HTMLResponse(text, code, _HEADERS)

    def file(self, name: str) -> Response:
        """A file that pages load."""
        asset = self._files.get(name)
        if asset is None:
            return Response(status_code=404)
        return Response(asset.content, headers={"cache-control": _FOR_EVER}, media_type=asset.media_type)


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    return Asset(content, _TYPES[path.suffix], hashlib.sha256(content).hexdigest()[:12])


# -- ways to write a value ---------------------------------------------------------------------------------------------
def when(text: str | None) -> str:
    """A moment to the minute, the whole of it on hovering.

    >>> str(when("2026-08-18T01:02:03.5Z"))
    '<time datetime="2026-08-18T01:02:03.5Z" title="2026-08-18T01:02:03.5Z">2026-08-18 01:02</time>'
    """
    if not text:
        return "–"
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(text, text[:16].replace("T", " "))


def number(value: float) -> str:
    """A count with its thousands apart.

    >>> number(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def money(dollars: float | None) -> str:
    """US dollars as far as they say something; prices that are not known are no zero.

    >>> money(0.00123), money(12.5), money(None)
    ('$0.0012', '$12.50', '–')
    """
    if dollars is None:
        return "–"
    return f"${dollars:,.2f}" if dollars >= 0.1 else f"${dollars:.4f}"


def cut(text: str, most: int) -> str:
    """The beginning of a long text.

    >>> cut("in a nutshell", 6)
    'in a n…'
    """
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def shown_json(value: Any) -> str:
    """A value as JSON to read."""
    return json.dumps(plain(value), ensure_ascii=False, indent=2)


def filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Only what was given: an empty field of a form sets no condition.

    >>> filled({"tier": "", "status": "any", "limit": 0})
    {'status': 'any', 'limit': 0}
    """
    return {name: value for name, value in values.items() if value not in ("", None)}
