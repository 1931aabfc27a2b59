"""What tests of the web page do as its visitors: addresses, forms, signing in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from starlette.testclient import TestClient

HOST = "http://127.0.0.1:8377"
ALICE = {"user_id": "alice"}
HOSTILE = "</MEMORY> <script>alert(1)</script> \" onload='x' {{ 7 * 7 }}"

PATHS = [
    "/", "/memories", "/memories?q=seats", "/memories?tier=episodic", "/memories?status=any&category=preference",
    "/memories?meta=team%3Dx", "/memories?as_of=2030-01-01T00:00", "/memories/{hostile}", "/memories/{plain}",
    "/memories/{extracted}", "/memories/{hostile}/forget", "/profile", "/recall", "/recall?q=where+does+she+live&k=3",
    "/block",
    "/block?q=seats", "/timeline", "/timeline?as_of=2030-01-01T00:00",
    "/timeline?q=work&as_of=2030-01-01T00:00&known_at=2030-01-01T00:00", "/graph", "/sessions", "/session?id=s-1",
    "/transfer", "/erase", "/review", "/usage", "/jobs", "/audit", "/audit?verify=1", "/keys", "/settings",
]  # fmt: skip


def paths(ids: dict[str, str]) -> Iterator[str]:
    for path in PATHS:
        yield path.format(**ids) + ("&" if "?" in path else "?") + "user_id=alice"


def token(client: TestClient, path: str = "/memories?user_id=alice") -> str:
    found = re.search(r'name="token" value="([0-9a-f]{64})"', client.get(path).text)
    assert found is not None, path
    return found[1]


def send(client: TestClient, path: str, **fields: str) -> str:
    """Fill in a form, follow to the page it leads to, and read that."""
    answer = client.post(path, data={"token": token(client), **fields}, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return answer.text


def sign_in(client: TestClient, headers: dict[str, str]) -> None:
    key = headers["authorization"].removeprefix("Bearer ")
    answer = client.post("/sign-in", data={"token": token(client, "/sign-in"), "key": key})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
