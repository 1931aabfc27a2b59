"""compose.yaml: what it runs is what there is. Its commands, settings and names are read; no container is started."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from retentive.backends.qdrant import open_client
from retentive.cli import main
from retentive.config import Settings
from retentive.plugins import make_backend
from retentive.streams.address import parse_address
from retentive.testing.postgres import Server

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]


def filled(text: str, password: str = "secret") -> str:  # noqa: S107  none of anybody's
    return re.sub(r"\$\{RETENTIVE_DB_PASSWORD:\?[^}]*\}", password, text)


@pytest.mark.parametrize("name", OURS)
def test_every_command_is_one_of_ours(name: str) -> None:
    command, *options = SERVICES[name]["command"]
    found = main.commands[command]
    found.make_context(command, options, parent=click.Context(main))  # raises for an option that is none


@pytest.mark.parametrize("name", OURS)
def test_every_setting_is_known(name: str) -> None:
    settings = Settings.from_env({key: filled(str(text)) for key, text in SERVICES[name]["environment"].items()})
    assert settings.url == "postgresql://retentive:secret@postgres:5432/memories"


def test_addresses_are_those_of_services() -> None:
    for name in ("ingest", "relay"):
        assert parse_address(SERVICES[name]["command"][-1]).hosts.partition(":")[0] in SERVICES
    client, collection = open_client(SERVICES["index"]["command"][-1])
    client.close()
    assert collection == "memories"


def test_names_that_are_used_are_there() -> None:
    used = {volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    assert used == set(COMPOSE["volumes"])
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        assert {one["source"] for one in service.get("configs", ())} <= set(COMPOSE["configs"])


def test_nothing_is_open_to_others_and_no_version_is_left_to_chance() -> None:
    for name, service in SERVICES.items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]+", service["image"]), name
        assert not service.get("privileged"), name


def test_its_roles_are_what_a_store_asks_for(postgres: Server) -> None:
    import psycopg  # noqa: PLC0415  as in the server's own fixture

    statements = filled(COMPOSE["configs"]["roles"]["content"], "compose").replace("retentive", "composed")
    with psycopg.connect(postgres.admin, autocommit=True) as admin:
        admin.execute("CREATE DATABASE composed ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    statements = statements.replace("DATABASE memories", "DATABASE composed")
    with psycopg.connect(postgres.url("postgres", postgres.password, "composed"), autocommit=True) as admin:
        admin.execute(statements.encode())
    backend = make_backend(postgres.url("composed", "compose", "composed"), Settings())
    assert backend.store.status().problems == ()
    backend.store.close()


def test_the_image_has_what_the_commands_need() -> None:
    locked = (ROOT / "requirements" / "server.txt").read_text("utf-8")
    for package in ("starlette", "uvicorn", "psycopg", "psycopg-pool", "confluent-kafka", "qdrant-client", "mcp"):
        assert re.search(rf"^{package}==", locked, re.MULTILINE), package
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    for path in (one for line in copied for one in line.split()):
        assert (ROOT / path).exists(), path
