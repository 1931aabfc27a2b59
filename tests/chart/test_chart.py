"""The Helm chart, rendered by helm and held to Kubernetes' own schemas: no cluster is needed, and none was tried.

Not part of `make test`: `make chart-test HELM=/path/to/helm`.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml
from starlette.testclient import TestClient

from retentive import Memory
from retentive.cli import main
from retentive.config import Settings
from retentive.models.embed_none import NoEmbedder
from retentive.server.app import create_app
from retentive.server.options import ServerOptions

CHART = Path(__file__).resolve().parents[2] / "deploy" / "helm" / "retentive"
KUBERNETES = ("1.27.0", "1.33.0", "1.37.0")
REQUIRED = os.environ.get("CHART_TESTS") == "required"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def helm() -> Run:
    """Helm, where there is one."""
    path = os.environ.get("HELM") or shutil.which("helm")
    if not path:
        assert not REQUIRED, "name helm: HELM=/path/to/helm"
        pytest.skip("there is no helm")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([path, *arguments], capture_output=True, text=True, check=False, timeout=60)

    return run


@pytest.fixture(scope="module")
def schemas() -> ModuleType:
    return importlib.import_module("kubernetes_validate") if REQUIRED else pytest.importorskip("kubernetes_validate")


def values(*given: str) -> list[str]:
    return [part for one in ("existingSecret=memory", *given) for part in ("--set", one)]


def rendered(helm: Run, *given: str, version: str = "1.33.0", release: str = "my") -> list[dict[str, Any]]:
    done = helm("template", release, str(CHART), "--namespace", "ai", "--kube-version", version, *values(*given))
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one]


def pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    templates = [one["spec"]["template"] for one in objects if one["kind"] == "Deployment"]
    return {one["spec"]["containers"][0]["name"]: one for one in templates}


MANY = (
    "settings.RETENTIVE_CACHE_MB=512",
    "settings.RETENTIVE_AUDIT_READS=true",
    "secretKeys.RETENTIVE_MODEL_KEY=model",
    "server.allowHosts={memory.example.org}",
    "imagePullSecrets[0].name=pull",
    "nodeSelector.disk=ssd",
    "tolerations[0].operator=Exists",
    "podAnnotations.team=ai",
    "worker.schedule=false",
)


@pytest.mark.parametrize("given", [(), MANY], ids=["defaults", "all values"])
@pytest.mark.parametrize("version", KUBERNETES)
def test_kubernetes_takes_what_it_renders(helm: Run, schemas: ModuleType, version: str, given: tuple[str, ...]) -> None:
    assert helm("lint", "--strict", str(CHART), *values(*given)).returncode == 0
    objects = rendered(helm, *given, version=version)
    kinds = ["Deployment", "Deployment", "PodDisruptionBudget", "PodDisruptionBudget", "Service", "ServiceAccount"]
    assert sorted(one["kind"] for one in objects) == kinds
    for one in objects:
        schemas.validate(one, version, strict=True)


def test_what_it_runs_is_ours(helm: Run) -> None:
    for pod in pods(rendered(helm, *MANY)).values():
        (container,) = pod["spec"]["containers"]
        command, *options = container["args"]
        main.commands[command].make_context(command, list(options), parent=click.Context(main))
        plain = {one["name"]: one.get("value", "1") for one in container["env"]}
        assert Settings.from_env(plain | {"RETENTIVE_URL": "memory.db"}).cache_mb == 512


def test_no_secret_is_in_it_and_nobody_has_rights(helm: Run) -> None:
    objects = rendered(helm, *MANY)
    for pod in pods(objects).values():
        spec, (container,) = pod["spec"], pod["spec"]["containers"]
        secret = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in container["env"] if "valueFrom" in one}
        assert secret["RETENTIVE_URL"] == {"name": "memory", "key": "url"}
        assert secret["RETENTIVE_MODEL_KEY"] == {"name": "memory", "key": "model"}
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert not spec["automountServiceAccountToken"]
        assert not spec["enableServiceLinks"]  # RETENTIVE_SERVICE_HOST would be an unknown setting
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert [one["mountPath"] for one in container["volumeMounts"]] == ["/tmp"]  # noqa: S108  the container's own


def test_selectors_find_their_pods_and_no_others(helm: Run) -> None:
    objects = rendered(helm)
    labels = {name: pod["metadata"]["labels"].items() for name, pod in pods(objects).items()}
    for one in objects:
        selector = one.get("spec", {}).get("selector")
        if selector:
            wanted = selector.get("matchLabels", selector).items()
            part = dict(wanted)["app.kubernetes.io/component"]
            assert [name for name, has in labels.items() if wanted <= has] == [part]


def test_the_server_answers_its_probes_and_its_service(helm: Run, tmp_path: Path) -> None:
    objects = rendered(helm, "server.allowHosts={memory.example.org}")
    (container,) = pods(objects)["server"]["spec"]["containers"]
    options = container["args"][1:]
    allowed = [value for option, value in zip(options[::2], options[1::2], strict=True) if option == "--allow-host"]
    (service,) = [one for one in objects if one["kind"] == "Service"]
    assert {service["metadata"]["name"], f"{service['metadata']['name']}.ai.svc", "memory.example.org"} <= {*allowed}
    with Memory.open(tmp_path / "memory.db", embedder=NoEmbedder(), background=False) as memory:
        app = create_app(memory, ServerOptions(host="0.0.0.0", allow_hosts=tuple(allowed)))  # noqa: S104  not bound
        with TestClient(app, base_url="http://10.0.0.7:8377") as http:
            assert http.get("/health/live").status_code == 421  # which is why a probe names a Host
            for name in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = container[name]["httpGet"]
                headers = {one["name"]: one["value"] for one in asked["httpHeaders"]}
                assert http.get(asked["path"], headers=headers).status_code == 200
            assert http.get("/health/live", headers={"Host": allowed[-1]}).status_code == 200


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("existingSecret=", "existingSecret is the name of a Secret"),
        ("colour=red", "colour"),
        ("settings.RETENTIVE_MODEL_KEY=sk-1", "RETENTIVE_MODEL_KEY"),
        ("settings.RETENTIVE_URL=postgresql://bot:pass@host/db", "RETENTIVE_URL"),
        ("server.replicas=0", "replicas"),
        ("server.allowHosts={*}", "allowHosts"),
    ],
)
def test_what_cannot_be_is_refused(helm: Run, wrong: str, says: str) -> None:
    done = helm("template", "my", str(CHART), "--kube-version", "1.33.0", *values(wrong))
    assert done.returncode != 0
    assert says in done.stderr


def test_a_long_release_has_names_that_fit(helm: Run) -> None:
    objects = rendered(helm, release="a" * 53)
    assert all(len(one["metadata"]["name"]) <= 63 for one in objects)
