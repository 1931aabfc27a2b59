"""Settings: the only reader of the environment. An unknown RETENTIVE_* name stops the start, so a typo cannot hide."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from retentive.errors import ConfigError

_PREFIX = "RETENTIVE_"
#: Subjects in which an extractor replaces nothing by itself.
REVIEW_TOPICS = ("billing", "health", "legal", "identity")
#: The fixed fields of a profile, in the order they are shown.
PROFILE_FIELDS = (
    "name",
    "pronouns",
    "role",
    "company",
    "location",
    "language",
    "timezone",
    "tone",
    "diet",
    "birthday",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting there is. Each can be given as RETENTIVE_<NAME> in upper case.

    url: the store; default a file in the user's data directory.
    store_key: encrypts the store's file, with a driver that can; see docs/encryption.md.
    embedder: `offline` (comes with the install, sixteen languages), `minilm` (the same for English alone, in half the
        memory), `http` (an OpenAI-compatible endpoint) or `none` (text only).
    embedder_url, embedder_model, embedder_key, embedder_dimensions, embedder_timeout_s: the endpoint of `http`.
    model_url, model_name, model_key, model_timeout_s: the endpoint of `retentive chat` and of the `model` extractor.
    model_fallback_url, model_fallback_name, model_fallback_key: who is asked when that endpoint is down or refuses.
    model_prices: its prices, US dollars a million tokens, as prompt,cached,completion.
    limit_tokens_hour, limit_cost_hour: what a tenant's model calls may take in an hour; no limit by default.
    tag: the name of the block's tag, `MEMORY`.
    budget_tokens: of a block when the call gives none.
    working_tokens: limit of a session's working memory.
    profile_fields, profile_chars: the fields a profile may have, and how long each may be.
    session_idle_s: a session nobody speaks in for so long is ended by the worker.
    extractor: how facts are drawn from what was said: `rules` (no model), `model` (the chat endpoint) or `none`.
    extract_every: messages of a session after which facts are extracted; its end extracts the rest.
    redaction: what to do with kinds of secrets and personal data, as kind=action with redact, tag or allow; `secret`
        and `pii` stand for all of their kind. Default: both are redacted.
    review_topics: subjects of weight; what is extracted of them waits for a person before it replaces something.
    retention: how long what is kept, as name=length or name=keep; see docs/retain.md. Default: episodes=30d,
        category:summary=60d, expired=30d.
    upkeep: what upkeep does when, as name=value (docs/upkeep.md). Default: retain=1d, consolidate=1d, verify=7d.
    ranking: `context` (the measured default), `classic` (0.7 vector, 0.3 text) or a .json file of `retentive tune`.
    background: run jobs in a thread of this process.
    mirror_dir: a folder for `user.md` and `user.json` of each user, kept up to date and taken back when edited.
    audit_reads: enter reads in the audit too, as writes always are.
    durable: fsync every commit, so that a power cut loses nothing acknowledged.
    cache_mb: memory for partitions in use.
    user, agent, project, tenant: the command line's default scope.
    """

    url: str | None = None
    store_key: str | None = None
    embedder: str = "offline"
    embedder_url: str | None = None
    embedder_model: str | None = None
    embedder_key: str | None = None
    embedder_dimensions: int | None = None
    embedder_timeout_s: float = 10.0
    model_url: str | None = None
    model_name: str | None = None
    model_key: str | None = None
    model_fallback_url: str | None = None
    model_fallback_name: str | None = None
    model_fallback_key: str | None = None
    model_timeout_s: float = 60.0
    model_prices: tuple[str, ...] = ()
    limit_tokens_hour: int | None = None
    limit_cost_hour: float | None = None
    tag: str = "MEMORY"
    budget_tokens: int = 800
    working_tokens: int = 4000
    profile_fields: tuple[str, ...] = PROFILE_FIELDS
    profile_chars: int = 200
    session_idle_s: float = 1800.0
    extractor: str = "rules"
    extract_every: int = 10
    redaction: tuple[str, ...] = ()
    review_topics: tuple[str, ...] = REVIEW_TOPICS
    retention: tuple[str, ...] = ()
    upkeep: tuple[str, ...] = ()
    ranking: str = "context"
    background: bool = True
    mirror_dir: str | None = None
    audit_reads: bool = False
    durable: bool = True
    cache_mb: int = 256
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    tenant: str = "default"

    def __repr__(self) -> str:
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        hidden = {name: "***" if name.endswith("_key") and value else value for name, value in shown.items()}
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in hidden.items())})"

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read RETENTIVE_* from `environ` (the process's when None). Raises ConfigError that names the variable."""
        environ = os.environ if environ is None else environ
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for variable, text in environ.items():
            if not variable.startswith(_PREFIX):
                continue
            name = variable.removeprefix(_PREFIX).lower()
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"; did you mean {_PREFIX}{near[0].upper()}?" if near else ""
                message = f"unknown setting {variable}{hint}"
                raise ConfigError(message)
            given[name] = _read(variable, text, str(known[name].type))
        return cls(**given)


def _boolean(text: str) -> bool:
    return {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}[
        text.lower()
    ]


def _positive(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value

    return read


_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "int": (_positive(int), "a whole number above 0"),
    "int | None": (_positive(int), "a whole number above 0"),
    "float": (_positive(float), "a number above 0"),
    "float | None": (_positive(float), "a number above 0"),
    "bool": (_boolean, "true or false"),
    "tuple[str, ...]": (lambda text: tuple(part.strip() for part in text.split(",") if part.strip()), "names, a,b,c"),
}


def _read(variable: str, text: str, kind: str) -> Any:
    read, wanted = _READERS.get(kind, (str, "text"))
    try:
        return read(text)
    except (ValueError, KeyError) as error:
        message = f"{variable} must be {wanted}"  # the value is not repeated: it may be a secret in the wrong place
        raise ConfigError(message) from error


def default_url() -> str:
    """The store in the user's data directory, never in the package's; the folder is made if need be."""
    from platformdirs import user_data_path  # noqa: PLC0415  reads the environment: not at import

    folder = Path(user_data_path("retentive", appauthor=False))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'memory.db'}"
