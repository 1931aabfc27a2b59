"""`retentive serve` and `retentive keys` as processes: what an operator does, and what a signal ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from click.testing import Result

from retentive import Memory
from retentive.models.embed_none import NoEmbedder
from served_pages import served

Run = Callable[..., Result]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Text search only, in a store of this test."""
    ours = {"EMBEDDER": "none", "URL": str(tmp_path / "memory.db"), "DURABLE": "false"}
    return {**os.environ, **{f"RETENTIVE_{name}": value for name, value in ours.items()}}


def retentive(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "retentive.cli", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=60)


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "retentive.cli", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        try:
            found = None
            while found is None:
                line = process.stderr.readline()
                assert line, "it ended before it served"
                found = re.match(r"serving at (http\S+)", line)
            yield process, found[1]
        finally:
            process.kill()


def test_an_operator_makes_serves_and_revokes(environment: dict[str, str]) -> None:
    key = retentive(environment, "keys", "create", "website", "--right", "read").stdout.strip()
    with serving(environment) as (_, url):
        profile = f"{url}/v1/profile?user_id=alice"
        headers = {"authorization": f"Bearer {key}"}
        assert httpx2.get(profile, headers=headers).status_code == 200
        assert httpx2.get(profile).status_code == 401
        assert "Sign in" in httpx2.get(url, follow_redirects=True).text
        assert retentive(environment, "keys", "revoke", key.split("_")[1]).returncode == 0
        assert httpx2.get(profile, headers=headers).status_code == 401
    assert "revoked" in retentive(environment, "keys", "list").stdout


def test_others_are_not_served_without_a_key(environment: dict[str, str]) -> None:
    ran = retentive(environment, "serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104  what is refused
    assert (ran.returncode, "make an API key first" in ran.stderr) == (1, True)


def test_a_signal_ends_it_and_loses_nothing_that_was_acknowledged(environment: dict[str, str]) -> None:
    acknowledged: list[str] = []
    with serving(environment) as (process, url):

        def write(writer: int) -> None:
            with httpx2.Client() as client:
                for number in range(10_000):
                    said = {"messages": [{"content": f"Message {number} of {writer}"}]}
                    try:
                        answer = client.post(f"{url}/v1/messages?user_id=alice", json=said)
                    except httpx2.HTTPError:
                        return
                    if answer.status_code == 201:
                        acknowledged.append(answer.json()["items"][0]["id"])

        writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for writer in writers:
            writer.start()
        while len(acknowledged) < 50:
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        for writer in writers:
            writer.join()
    with Memory.open(environment["RETENTIVE_URL"], embedder=NoEmbedder(), background=False) as memory:
        stored = {item.id for item in memory.scope(user_id="alice").list(limit=100_000)}
        assert set(acknowledged) <= stored
        assert memory.doctor().problems == ()


@pytest.mark.parametrize(
    "endless",
    [
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ",
        b"GET /healthz?",
        b"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Long: ",
    ],
)
def test_a_head_that_never_ends_is_broken_off(memory: Memory, endless: bytes) -> None:
    with served(memory) as address, socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as raw:
        raw.settimeout(30)
        raw.sendall(endless)
        with pytest.raises(OSError, match=r"reset|pipe"):  # noqa: PT012  it may take what is in its buffers
            for _ in range(1000):
                raw.sendall(b"x" * 10_000)


def test_spaces_around_a_field_are_no_part_of_it(memory: Memory) -> None:
    key = memory.keys.create("one", rights=["read"]).text
    asked = f"GET /v1/profile?user_id=alice HTTP/1.1\r\nHost: \t127.0.0.1 \r\nAuthorization: Bearer {key} \t \r\n"
    with served(memory) as address, socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as raw:
        raw.sendall(f"{asked}Connection: close \r\n\r\n".encode())
        assert raw.makefile("rb").read().startswith(b"HTTP/1.1 200")


def test_large_bodies_and_many_requests_in_one_piece_pass(memory: Memory) -> None:
    said = json.dumps({"text": "Likes " + "tea " * 100_000}).encode()
    head = b"POST /v1/facts?user_id=alice HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    once = head + b"Content-Length: %d\r\n\r\n" % len(said) + said
    with served(memory) as address, socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as raw:
        raw.settimeout(30)
        raw.sendall(once * 3)
        answers = b""
        while answers.count(b"HTTP/1.1 ") < 3:
            answers += raw.recv(1 << 16)
    assert answers.count(b"HTTP/1.1 201") == 3
