"""Checks of the objects that callers give: an embedder, settings, a scope. A wrong one is refused where it is given.

Without this a name in the place of an object would end in an AttributeError somewhere inside, or pass until it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retentive.errors import InvalidInput

#: What to give instead, by the argument's name.
_INSTEAD: Mapping[str, str] = {
    "embedder": "one of ours is named in the settings, Settings(embedder='minilm'); yours is a subclass",
    "model": "an endpoint is named in the settings, Settings(model_url=..., model_name=...); yours is a subclass",
    "reranker": "such as retentive.models.rerank_http.HttpReranker(url), or a subclass of yours",
    "extractor": "ours are 'rules' and 'model'; yours is a subclass",
    "settings": "make them with Settings(...) or Settings.from_env(), or leave them out",
    "policy": "such as RedactionPolicy(actions={'pii': 'tag'}), or leave it out",
    "scope": "memory.scope(user_id=...).scope has one, or make it with Scope(user_id=...)",
    "memory": "open one with Memory.open(...)",
    "mine": "memory.scope(user_id=...) gives one",
    "options": "make them with ServerOptions(...), or leave them out",
    "stop": "it is asked between batches, such as threading.Event().is_set",
    "progress": "it is told how far the work is, such as print",
    "source": "retentive.streams.open_log(url) opens one",
    "target": "retentive.streams.open_log(url) opens one",
}


def checked_object(name: str, value: object, kind: Any) -> None:
    """Refuse an argument that is no instance of its kind, a class: raises InvalidInput that says what to give instead.

    >>> checked_object("settings", "rules", dict)
    Traceback (most recent call last):
    retentive.errors.InvalidInput: settings must be a builtins.dict object, not a str: make them with ...
    """
    if isinstance(value, kind):
        return
    given = f"the class {value.__name__} itself" if isinstance(value, type) else f"a {type(value).__name__}"
    message = f"{name} must be a {kind.__module__}.{kind.__name__} object, not {given}: {_INSTEAD[name]}"
    raise InvalidInput(message)


def checked_objects(**given: tuple[object, Any]) -> None:
    """The same of arguments that may be left out: each by its name, what was given and its kind."""
    for name, (value, kind) in given.items():
        if value is not None:
            checked_object(name, value, kind)
