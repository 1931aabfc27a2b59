"""From a setting to a part: which backend a URL means, which embedder a name means. Drivers load only here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from retentive.config import Settings
from retentive.contracts import Backend, Embedder, Extractor, Model
from retentive.contracts.ledger import Account, Ledger, UsageLimits
from retentive.errors import ConfigError, MissingExtra
from retentive.redaction import RedactionPolicy, redact
from retentive.redaction.policy import Action

if TYPE_CHECKING:
    from retentive.models.openai_compatible import Endpoint


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that `settings.embedder` names; raises ConfigError for an unknown one."""
    if settings.embedder == "offline":
        from retentive.models.embed_offline import OfflineEmbedder  # noqa: PLC0415

        return OfflineEmbedder()
    if settings.embedder == "minilm":
        from retentive.models.embed_local import LocalEmbedder  # noqa: PLC0415

        return LocalEmbedder()
    if settings.embedder == "none":
        from retentive.models.embed_none import NoEmbedder  # noqa: PLC0415

        return NoEmbedder()
    if settings.embedder == "http":
        return _http_embedder(settings)
    message = f"unknown embedder {settings.embedder!r}: use offline, minilm, http or none"
    raise ConfigError(message)


def find_embedder(settings: Settings, name: str) -> Embedder | None:
    """The embedder of this name, if the settings can make it: so the vectors of an earlier choice can still be used."""
    asked = settings.embedder_url and settings.embedder_model and settings.embedder_dimensions
    choices = ["offline", "minilm", "none"] + (["http"] if asked else [])
    made = (make_embedder(replace(settings, embedder=choice)) for choice in choices)
    return next((embedder for embedder in made if embedder.name == name), None)


def _http_embedder(settings: Settings) -> Embedder:
    from retentive.models.embed_http import HttpEmbedder  # noqa: PLC0415

    if not (settings.embedder_url and settings.embedder_model and settings.embedder_dimensions):
        message = (
            "the http embedder needs RETENTIVE_EMBEDDER_URL, RETENTIVE_EMBEDDER_MODEL and RETENTIVE_EMBEDDER_DIMENSIONS"
        )
        raise ConfigError(message)
    return HttpEmbedder(
        settings.embedder_url,
        settings.embedder_model,
        api_key=settings.embedder_key,
        dimensions=settings.embedder_dimensions,
        timeout_s=settings.embedder_timeout_s,
    )


def make_extractors(settings: Settings, backend: Backend) -> Callable[[Account], Extractor] | None:
    """What gives the extractor that `settings.extractor` names, on someone's account; None for none.

    Raises ConfigError for an unknown extractor, or for `model` without an endpoint.
    """
    if settings.extractor == "none":
        return None
    policy = make_policy(settings)

    def clean(text: str) -> str:
        return redact(text, policy=policy).text

    if settings.extractor == "rules":
        from retentive.extract import RuleExtractor  # noqa: PLC0415

        rules = RuleExtractor(redact=clean)
        return lambda _account: rules
    if settings.extractor == "model":
        return _model_extractors(settings, backend.ledger, clean)
    message = f"unknown extractor {settings.extractor!r}: use rules, model or none"
    raise ConfigError(message)


def make_rebuild_extractors(
    settings: Settings, backend: Backend, extractor: str | Extractor | None
) -> Callable[[Account], Extractor]:
    """What gives a rebuild its extractor: the one given, or the one that it or the settings name.

    Raises ConfigError for `none`, an unknown one, or `model` without an endpoint.
    """
    if isinstance(extractor, Extractor):
        return lambda _account: extractor
    made = make_extractors(replace(settings, extractor=extractor or settings.extractor), backend)
    if made is None:
        message = "a rebuild needs an extractor: rules, model, or one of your own"
        raise ConfigError(message)
    return made


def _model_extractors(
    settings: Settings, ledger: Ledger, clean: Callable[[str], str]
) -> Callable[[Account], Extractor]:
    from retentive.extract.model import ModelExtractor  # noqa: PLC0415

    models = make_models(settings, ledger)
    return lambda account: ModelExtractor(models(account), fields=settings.profile_fields, redact=clean)


def make_models(settings: Settings, ledger: Ledger, name: str | None = None) -> Callable[[Account], Model]:
    """What gives the chat endpoint's model (or another one of that endpoint by `name`), metered, on someone's account.

    Raises ConfigError without an endpoint, or for prices that are none.
    """
    from retentive.models.meter import MeteredModel  # noqa: PLC0415
    from retentive.models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415

    endpoints = chat_endpoints(settings, name)
    model = OpenAICompatibleModel(endpoints)
    limits, prices = usage_limits(settings), endpoints[0].prices
    return lambda account: MeteredModel(model, ledger, account, limits, prices=prices)


def chat_endpoints(settings: Settings, name: str | None = None) -> list[Endpoint]:
    """The chat endpoint, for its model or another one of it by `name`, and the one that is asked when it is down.

    Raises ConfigError without an endpoint, or for prices that are none.
    """
    from retentive.models.openai_compatible import Endpoint  # noqa: PLC0415
    from retentive.models.replies import Prices  # noqa: PLC0415

    if not (settings.model_url and settings.model_name):
        message = "asking a model needs RETENTIVE_MODEL_URL and RETENTIVE_MODEL_NAME"
        raise ConfigError(message)
    try:
        prices = Prices(*map(float, settings.model_prices)) if settings.model_prices else None
    except (TypeError, ValueError) as error:
        message = "RETENTIVE_MODEL_PRICES is three numbers, US dollars a million tokens: prompt,cached,completion"
        raise ConfigError(message) from error
    chain = [(settings.model_url, name or settings.model_name, settings.model_key)]
    if settings.model_fallback_url:
        fallback = settings.model_fallback_name or settings.model_name
        chain.append((settings.model_fallback_url, fallback, settings.model_fallback_key))
    timeout_s = settings.model_timeout_s
    return [Endpoint(url, called, key, timeout_s=timeout_s, prices=prices) for url, called, key in chain]


def usage_limits(settings: Settings) -> UsageLimits:
    """What a tenant's model calls may take in an hour."""
    return UsageLimits(settings.limit_tokens_hour, settings.limit_cost_hour)


def make_upkeep_models(
    settings: Settings, ledger: Ledger, named: str | None, given: Model | None
) -> Callable[[Account], Model] | None:
    """Whom upkeep asks: the one given, the one its setting names, else the one that extracts; None where rules do."""
    if given is not None:
        from retentive.models.meter import MeteredModel  # noqa: PLC0415

        limits = UsageLimits(settings.limit_tokens_hour)
        return lambda account: MeteredModel(given, ledger, account, limits)
    follows = settings.extractor == "model" and settings.model_url is not None
    if named == "none" or (named is None and not follows):
        return None
    return make_models(settings, ledger, named)


def make_policy(settings: Settings) -> RedactionPolicy:
    """The redaction policy of `settings.redaction`; raises ConfigError for what is not kind=action."""
    pairs = [entry.partition("=") for entry in settings.redaction]
    if not all(equals for _, equals, _ in pairs):
        message = "RETENTIVE_REDACTION is a list of kind=action, such as pii=tag,card=redact"
        raise ConfigError(message)
    actions = {kind.strip(): cast("Action", action.strip()) for kind, _, action in pairs}
    return RedactionPolicy(actions=actions)  # which refuses an action that is none


def make_backend(url: str, settings: Settings) -> Backend:
    """Open the backend of a URL: a path, `sqlite:///path`, `file:folder/`, `:memory:`, `postgresql://`, or another's.

    Behind it may stand `+qdrant://host:port/collection`: the Qdrant that finds the nearest in large scopes.


    Another package has an entry point in the group `retentive.backends`, named as its URLs' scheme: a function of the
    URL and the settings that gives a Backend. Raises ConfigError for a scheme that nobody opens.
    """
    store, beside, where = url.rpartition("+qdrant")
    if beside and where.startswith(("://", "s://")):
        return _with_qdrant(make_backend(store, settings), f"qdrant{where}")
    for found in entry_points(group="retentive.backends", name=url.partition("://")[0] if "://" in url else ""):
        opened: Backend = found.load()(url, settings)
        return opened
    if settings.store_key == "":
        message = "RETENTIVE_STORE_KEY is empty, and an empty key encrypts nothing: give one, or leave it out"
        raise ConfigError(message)
    if settings.store_key is not None and (url.startswith("file:") or "postgres" in url.partition("://")[0]):
        message = "RETENTIVE_STORE_KEY encrypts a store in one SQLite file, not a folder of files nor a server"
        raise ConfigError(message)
    if url.startswith(("postgresql://", "postgres://")):
        return _postgres(url, settings)
    if url.startswith("file:"):
        from retentive.backends.file import open_backend as open_files  # noqa: PLC0415

        return open_files(folder_of(url), cache_bytes=settings.cache_mb << 20, durable=settings.durable)
    from retentive.backends.sqlite import open_backend  # noqa: PLC0415

    cache_bytes, durable, key = settings.cache_mb << 20, settings.durable, settings.store_key
    return open_backend(path_of(url), cache_bytes=cache_bytes, durable=durable, key=key)


def _with_qdrant(backend: Backend, url: str) -> Backend:
    try:
        from retentive.backends.qdrant import open_beside  # noqa: PLC0415

        beside = open_beside(url, backend)
        backend.index.ask(beside)
    except BaseException as error:
        backend.store.close()
        if isinstance(error, ModuleNotFoundError):
            message = "a Qdrant needs its client: pip install 'retentive[qdrant]'"
            raise MissingExtra(message) from error
        raise
    return replace(backend, beside=beside)


def _postgres(url: str, settings: Settings) -> Backend:
    try:
        from retentive.backends.postgres import open_backend  # noqa: PLC0415
    except ModuleNotFoundError as error:
        message = "a postgresql:// store needs psycopg: pip install 'retentive[postgres]'"
        raise MissingExtra(message) from error
    return open_backend(url, cache_bytes=settings.cache_mb << 20, durable=settings.durable)


def folder_of(url: str) -> str:
    """The folder of a store of files; `file:///` begins an absolute path.

    >>> folder_of("file:memory/"), folder_of("file:///srv/memory")
    ('memory/', '/srv/memory')
    """
    return url.removeprefix("file:").removeprefix("//") or "."


def path_of(url: str) -> str:
    """The path of the store's file or folder that a URL means; `:memory:` for none. Raises ConfigError for others."""
    if url.startswith("file:"):
        return folder_of(url)
    scheme, found, rest = url.partition("://")
    if found and scheme != "sqlite":
        message = f"no backend for {scheme}:// is installed: use a path, sqlite:///path, file:folder/ or :memory:"
        raise ConfigError(message)
    return rest.removeprefix("/") if found else url
