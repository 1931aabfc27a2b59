"""A ranking by name: a preset, or a file that holds what to change of one.

    {"format": "retentive-ranking", "preset": "context", "changes": {"k": 4, "vector": 0.8, "decay_floor": 0.9}}

`changes` are fields of `Ranking`; what else the file says (how it came about) is for people. `retentive tune` writes
such files, and `RETENTIVE_RANKING=path.json` uses one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from retentive.arms.ranking import PRESETS, Ranking
from retentive.errors import ConfigError

_FORMAT = "retentive-ranking"
_MAX_K = 1000


def ranking_of(name: str) -> Ranking:
    """The preset of that name, or the ranking in the file of that name. Raises ConfigError.

    >>> ranking_of("classic").vector
    0.7
    """
    if name in PRESETS:
        return PRESETS[name]
    if not name.endswith(".json"):
        message = (
            f"unknown ranking {name!r}: use {', '.join(PRESETS)} or the path of a .json file made by retentive tune"
        )
        raise ConfigError(message)
    try:
        table = json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"the ranking {name} cannot be read: {error}"
        raise ConfigError(message) from error
    if not isinstance(table, dict) or table.get("format") != _FORMAT or table.get("preset") not in PRESETS:
        message = f"{name} is not a ranking: make one with retentive tune"
        raise ConfigError(message)
    return changed(PRESETS[table["preset"]], table.get("changes", {}))


def changed(ranking: Ranking, changes: Mapping[str, Any]) -> Ranking:
    """The ranking with some fields changed. Raises ConfigError for an unknown one or a value it cannot have."""
    kinds = {field.name: field.type for field in fields(Ranking)}
    for name, value in changes.items():
        if name not in kinds:
            message = f"a ranking has no {name!r}: it has {', '.join(kinds)}"
            raise ConfigError(message)
        if not _fits(name, str(kinds[name]), value):
            message = f"{name} of a ranking cannot be {value!r}"
            raise ConfigError(message)
    found = replace(ranking, **changes)
    if not found.shares():
        message = "a ranking needs an arm that has weight"
        raise ConfigError(message)
    return found


def _fits(name: str, kind: str, value: object) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    if name == "k":
        return isinstance(value, int) and 1 <= value <= _MAX_K
    if name == "decay_floor":
        return 0 <= value <= 1
    return value > 0 if name == "half_life_s" else value >= 0


def changes_to(preset: str, ranking: Ranking) -> dict[str, Any]:
    """What makes `ranking` of the preset: the fields that differ."""
    base = PRESETS[preset]
    names = (field.name for field in fields(Ranking))
    return {name: getattr(ranking, name) for name in names if getattr(ranking, name) != getattr(base, name)}


def write_ranking(path: Path, preset: str, ranking: Ranking, about: Mapping[str, Any]) -> None:
    """Write a ranking so that `ranking_of(path)` gives it back; `about` says how it came about."""
    table = {"format": _FORMAT, "preset": preset, "changes": changes_to(preset, ranking), "about": about}
    path.write_text(json.dumps(table, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
