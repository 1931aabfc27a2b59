"""Where a Qdrant is: qdrant://host:6333/collection, with TLS as qdrants://, or a folder for its client's local mode."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from qdrant_client import QdrantClient

from retentive.errors import ConfigError

_SHAPE = (
    "qdrant://host:6333/collection, qdrants:// for TLS (with :key@ before the host), or qdrant:///folder/collection"
)
_ANSWER_S = 30


def open_client(url: str, *, answer_s: int = _ANSWER_S) -> tuple[QdrantClient, str]:
    """A client for a URL, and the collection's name. Raises ConfigError.

    answer_s: how long an answer is waited for. Without a host it is the client's local mode: the same calls over a
    folder of this machine, for trying out.
    """
    found = urlsplit(url)
    folder, _, collection = unquote(found.path).rpartition("/")
    if found.scheme not in {"qdrant", "qdrants"} or not collection or (found.hostname and folder):
        message = f"the address of a Qdrant is {_SHAPE}"  # what was given may hold a key
        raise ConfigError(message)
    if found.hostname is None:
        return QdrantClient(path=folder or "/"), collection
    tls = found.scheme == "qdrants"
    client = QdrantClient(
        host=found.hostname,
        port=found.port or 6333,
        api_key=unquote(found.password) if found.password else None,
        https=tls,
        timeout=answer_s,
        check_compatibility=False,
    )
    return client, collection
