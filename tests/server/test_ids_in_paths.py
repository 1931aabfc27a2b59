"""Every id that can be recorded can be asked for over HTTP, whatever is in it."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from retentive import Memory
from retentive.cli import main
from retentive.errors import InvalidInput
from served_pages import served

ODD = [
    "a/b",
    "/",
    "50%",
    "%2F",
    "what?",
    "#3",
    "a b+c&d=e",
    "Übung/日本",
    "...",
    ".a",
    "../../v1/keys",
    "a\\b",
    "x;y",
    "end",
    "~'\"",
]


def encoded(name: str) -> str:
    """As RFC 3986 has it; two dots are no folder above."""
    return quote(name, safe="").replace(".", "%2E")


def test_a_session_of_any_name_is_reached_and_no_other(memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    for name in ODD:
        mine.record([{"content": f"Said in {name}"}], session_id=name)
    memory.process()
    with served(memory) as address:
        raw = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
        for name in ODD:
            raw.request("GET", f"/v1/sessions/{encoded(name)}/messages?user_id=alice")
            answer = raw.getresponse()
            found = json.loads(answer.read())
            assert (answer.status, [one["text"] for one in found]) == (200, [f"Said in {name}"]), name
            raw.request("GET", f"/v1/sessions/{encoded(name)}/usage?user_id=alice")
            answer = raw.getresponse()
            answer.read()
            assert answer.status == 200, name
            raw.request("POST", f"/v1/sessions/{encoded(name)}/end?user_id=alice")
            answer = raw.getresponse()
            answer.read()
            assert answer.status == 202, name
        for path in ("/v1/sessions/a%2Fc/messages", "/v1/sessions/a/b/messages", "/v1/sessions/%252F%20/messages"):
            raw.request("GET", f"{path}?user_id=alice")
            answer = raw.getresponse()
            answer.read()
            assert answer.status == 404, path
        raw.close()
        with httpx2.Client(base_url=address, params={"user_id": "alice"}) as client:
            known = {one["id"] for one in client.get("/v1/sessions", params={"limit": 100}).json()}
            assert known == set(ODD)
            for name in known:
                path = f"/v1/sessions/{quote(name, safe='')}/messages"
                assert client.get(path).json()[0]["text"] == f"Said in {name}"


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_means_a_folder_in_a_path_is_refused_at_every_door(
    alice: TestClient, memory: Memory, tmp_path: Path, name: str
) -> None:
    """Clients take it for a folder before they send it, so no session may be called so in the first place."""
    mine = memory.scope(user_id="alice")
    calls: list[Callable[[], object]] = [
        lambda: mine.record([{"content": "Hello"}], session_id=name),
        lambda: mine.remember("Likes tea", session_id=name),
        lambda: mine.session(name),
        lambda: mine.end_session(name),
        lambda: mine.session_messages(name),
        lambda: mine.session_usage(name),
        lambda: mine.recall("tea", session_id=name),
        lambda: mine.forget(session_id=name),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match="folder"):
            call()
    assert alice.post("/v1/messages", json={"messages": [{"content": "Hi"}], "session_id": name}).status_code == 422
    assert alice.post("/v1/facts", json={"text": "Likes tea", "session_id": name}).status_code == 422
    assert alice.get(f"/v1/sessions/{encoded(name)}/messages").json()["type"] == "urn:retentive:invalid-input"
    said = CliRunner().invoke(main, ["--store", str(tmp_path / "cli.db"), "--user", "alice", "session", "show", name])
    assert (said.exit_code, "folder" in said.output) == (1, True)
    assert mine.sessions() == []


@pytest.mark.parametrize("path", ["/v1/memories/{}", "/v1/memories/{}/why", "/v1/memories/{}/history", "/v1/keys/{}"])
@pytest.mark.parametrize("name", ["a/b", "%", "..", "ü?#"])
def test_an_odd_id_that_is_none_is_not_found(alice: TestClient, path: str, name: str) -> None:
    method, params = ("DELETE", {}) if "keys" in path else ("GET", {"user_id": "alice"})
    alice.params = params
    answer = alice.request(method, path.format(encoded(name)))
    assert answer.status_code == 404
    assert answer.json()["detail"] != "Not Found"  # it is the id that is not there, not the path


def test_a_path_may_be_encoded_more_than_it_needs(alice: TestClient) -> None:
    assert alice.get("/v1/%70rofile").status_code == 200


def test_an_id_is_decoded_once_however_the_path_is_encoded(alice: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    for name in ("A", "%41", "a/messages"):
        mine.record([{"content": f"Said in {name}"}], session_id=name)
    memory.process()
    for begin in ("/v1/", "/%761/", "/%76%31/"):
        for name in ("A", "%41", "a/messages"):
            found = alice.get(f"{begin}sessions/{quote(name, safe='')}/messages", params={"user_id": "alice"}).json()
            assert [one["text"] for one in found] == [f"Said in {name}"]


def test_pages_lead_to_sessions_of_any_name(browser: TestClient, memory: Memory) -> None:
    mine = memory.scope(user_id="alice")
    for name in ODD:
        mine.record([{"content": f"Said in {name}"}], session_id=name)
    listed = browser.get("/sessions", params={"user_id": "alice"})
    links = [unescape(found) for found in re.findall(r'href="(/session\?[^"]+)"', listed.text)]
    assert len(links) == len(ODD)
    shown = "".join(unescape(browser.get(link).text) for link in links)
    assert all(f"Said in {name}" in shown for name in ODD)
