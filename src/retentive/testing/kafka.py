"""A real Kafka broker on this machine for as long as tests need it: Apache Kafka's own, from Maven Central.

Needs Java (17 or newer) and Maven, which fetches and checks the broker by its name and version. One node, KRaft, on
loopback, its data in a folder that goes again; ended by its process id. It can be killed and started again on the same
data.
"""

from __future__ import annotations

import base64
import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from retentive.errors import MissingExtra

_VERSION = "4.1.0"
_ARTIFACTS = (("org.apache.kafka", "kafka_2.13", _VERSION), ("org.slf4j", "slf4j-nop", "1.7.36"))
#: How long fetching may take the first time, a start on a busy machine, and an end.
_FETCH_S, _START_S, _STOP_S = 400.0, 90.0, 20.0
_PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
"""


def programs() -> tuple[str, str]:
    """Where Java and Maven are. Raises MissingExtra."""
    java, maven = shutil.which("java"), shutil.which("mvn")
    if java is None or maven is None:
        message = "a Kafka broker for tests needs java (17 or newer) and mvn on the path"
        raise MissingExtra(message)
    return java, maven


@dataclass
class Broker:
    """A broker: its port, and its process while it runs."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def hosts(self) -> str:
        """What clients connect to."""
        return f"127.0.0.1:{self.port}"

    def url(self, topic: str, group: str = "retentive") -> str:
        """The URL of a topic."""
        return f"kafka://{self.hosts}/{topic}?group={group}"

    def start(self) -> None:
        """Start it, on the data it had. Raises TimeoutError when it does not answer in time."""
        with (self.folder / "log").open("ab") as log:
            self.process = _java(self.folder, "kafka.Kafka", "server.properties", output=log)
        deadline_s = time.monotonic() + _START_S
        while time.monotonic() < deadline_s and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.1)
        self.kill()
        message = f"the broker did not start in {_START_S:.0f} s"
        raise TimeoutError(message)

    def kill(self) -> None:
        """End it as a power cut would, for its clients."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(_STOP_S)
            self.process = None


@contextlib.contextmanager
def broker() -> Iterator[Broker]:
    """Fetch, format and start a broker. Raises MissingExtra where it cannot be had."""
    folder = Path(tempfile.mkdtemp(prefix="retentive-kafka-"))
    started = Broker(folder, _free_port())
    try:
        _fetch(folder)
        properties = _PROPERTIES.format(port=started.port, controller=_free_port(), folder=folder)
        (folder / "server.properties").write_text(properties)
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        formatting = _java(
            folder, "kafka.tools.StorageTool", "format", "--standalone", "-t", cluster, "-c", "server.properties"
        )
        if formatting.wait(_START_S):
            message = "the broker's data could not be formatted"
            raise MissingExtra(message)
        started.start()
        yield started
    finally:
        started.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _fetch(folder: Path) -> None:
    """The broker's jars into `libs`, by Maven as this machine has it set up."""
    _, maven = programs()
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
        for group, name, version in _ARTIFACTS
    )
    head = "<modelVersion>4.0.0</modelVersion><groupId>retentive</groupId><artifactId>broker</artifactId>"
    (folder / "pom.xml").write_text(
        f"<project>{head}<version>1</version><dependencies>{wanted}</dependencies></project>"
    )
    done = subprocess.run(  # noqa: S603  a program of this machine, with our own words
        [maven, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=libs"],
        cwd=folder,
        timeout=_FETCH_S,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        message = f"Maven could not fetch Kafka {_VERSION}: {done.stdout.decode(errors='replace')[-300:]}"
        raise MissingExtra(message)


def _java(folder: Path, *command: str, output: int | IO[bytes] = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    java, _ = programs()
    memory = ("-Xms64m", "-Xmx320m", "-XX:TieredStopAtLevel=1")  # short-lived: it need not be fast
    return subprocess.Popen(  # noqa: S603  as above
        [java, *memory, "-cp", "libs/*", *command],
        cwd=folder,
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
