"""Behind a real PgBouncer that pools transactions, with fewer server connections than there are clients."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest

from retentive import Memory, testing
from retentive.testing.postgres import Server
from stubs import StubEmbedder

#: It is installed where root alone looks.
_PROGRAM = shutil.which("pgbouncer", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
_SERVER_CONNECTIONS = 3
_TOPICS = {"scope isolation", "all or nothing", "crash between steps", "the queue"}
_SETTINGS = """
[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
server_reset_query = DISCARD ALL
server_reset_query_always = 1
{user}
"""


@pytest.fixture(scope="module")
def pooled_port(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a PgBouncer before the server."""
    if _PROGRAM is None:
        pytest.skip("no pgbouncer is installed: as root, apt-get install pgbouncer")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("pgbouncer")
    users, settings = folder / "users", folder / "pgbouncer.ini"
    users.write_text(f'"retentive" "{postgres.role_password}"\n')
    given = {"server_port": postgres.port, "port": port, "users": users, "connections": _SERVER_CONNECTIONS}
    root = os.geteuid() == 0
    settings.write_text(_SETTINGS.format(**given, user="user = nobody" if root else ""))
    if root:
        readable_by_nobody(folder)
    with subprocess.Popen([_PROGRAM, "-q", settings], stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield port
        finally:
            process.terminate()


def readable_by_nobody(folder: Path) -> None:
    """It reads its files as the user it becomes; they are in a folder of pytest's that others may not enter."""
    for path in (*folder.iterdir(), folder, *folder.parents[:2]):
        path.chmod(path.stat().st_mode | (0o044 if path.is_file() else 0o011))


def wait_for(port: int) -> None:
    deadline_s = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline_s, "pgbouncer does not listen"
            time.sleep(0.05)
        else:
            return


@contextmanager
def pooled_store(postgres: Server, port: int) -> Iterator[str]:
    with postgres.empty_store() as url:
        yield url.replace(f":{postgres.port}/", f":{port}/")


@pytest.mark.parametrize(
    "check",
    [one for one in testing.CHECKS if one.topic in _TOPICS],
    ids=str,
)
def test_what_must_hold_does_so_behind_a_pool_of_transactions(
    check: testing.Check, postgres: Server, pooled_port: int
) -> None:
    testing.run(check, testing.Engine("Postgres behind PgBouncer", partial(pooled_store, postgres, pooled_port)))


def test_more_clients_than_server_connections_each_see_their_own(postgres: Server, pooled_port: int) -> None:
    """What a transaction sets, its tenant above all, is never another's, whichever connection it is given."""
    with (
        pooled_store(postgres, pooled_port) as url,
        Memory.open(url, embedder=StubEmbedder(), background=False) as memory,
    ):
        tenants = [memory.scope(user_id="alice", tenant=f"t{number}") for number in range(8)]
        for number, mine in enumerate(tenants):
            mine.remember(f"Lives in house {number}")
        memory.process()

        def ask(number: int) -> set[str]:
            mine = tenants[number % 8]
            return {hit.text for hit in mine.recall("which house?").hits} | {item.text for item in mine.list()}

        with ThreadPoolExecutor(16) as threads:
            found = list(threads.map(ask, range(160)))
        assert found == [{f"Lives in house {number % 8}"} for number in range(160)]
        with psycopg.connect(postgres.admin) as admin:
            used = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'retentive'"
            (count,) = admin.execute(used).fetchone() or (0,)
        assert 1 <= count <= _SERVER_CONNECTIONS
