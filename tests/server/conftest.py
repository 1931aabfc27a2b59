"""What the tests of the server share: an application over a store of their own, keys, and clients that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from page_visits import HOSTILE
from retentive import Memory
from retentive.server.app import create_app
from retentive.server.pages.table import page_routes
from retentive.types import RIGHTS

HOST = "http://127.0.0.1:8377"


@pytest.fixture
def app(memory: Memory) -> Starlette:
    """The application over the test's store."""
    return create_app(memory)


@pytest.fixture
def client(app: Starlette) -> Iterator[TestClient]:
    """Whoever calls without a key; what the application did not expect is an answer, as over a network."""
    with TestClient(app, HOST, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def key_of(memory: Memory) -> Callable[..., dict[str, str]]:
    """The headers of a new key."""

    def headers(*rights: str, tenant: str = "default", **more: object) -> dict[str, str]:
        made = memory.keys.create("test", rights=rights or RIGHTS, tenant=tenant, **more)  # type: ignore[arg-type]
        return {"authorization": f"Bearer {made.text}"}

    return headers


@pytest.fixture
def alice(app: Starlette, key_of: Callable[..., dict[str, str]]) -> Iterator[TestClient]:
    """A program with every right that speaks of alice unless it says otherwise."""
    with TestClient(app, HOST, headers=key_of(), raise_server_exceptions=False) as client:
        client.params = client.params.merge({"user_id": "alice"})
        yield client


@pytest.fixture
def browser(memory: Memory) -> Iterator[TestClient]:
    """A browser of this machine, on a store without a key."""
    app = create_app(memory, more=page_routes())
    with TestClient(app, HOST, follow_redirects=False) as client:
        yield client


@pytest.fixture
def lived(memory: Memory) -> dict[str, str]:
    """A memory with something on every page, hostile where it can be; ids by what they are."""
    mine = memory.scope(user_id="alice")
    said = [
        {"role": "user", "content": "I live in Lisbon. I prefer window seats."},
        {"role": "user", "content": HOSTILE},
    ]
    mine.record(said, session_id="s-1")
    mine.end_session("s-1")
    memory.process()
    hostile = mine.remember(HOSTILE, source="web").ids[0]
    plain = mine.remember("Works at Globex", metadata={"team": HOSTILE}).ids[0]
    mine.update(plain, text="Works at Initech")
    mine.remember("Never call before noon", evergreen=True)
    extracted = next(item.id for item in mine.list("semantic") if item.episode_ids and "seats" in item.text)
    return {"hostile": hostile, "plain": plain, "extracted": extracted}
