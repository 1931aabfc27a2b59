"""Write down which parameters n8n's nodes have, of those that `examples/n8n` uses, for the test of these files.

npm pack n8n-nodes-base @n8n/n8n-nodes-langchain
python scripts/n8n_nodes.py *.tgz

Names of types, versions, parameters, choices and credentials alone: what a workflow file has to agree with.
"""

from __future__ import annotations

import json
import operator
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FACTS = ROOT / "tests" / "server" / "n8n_nodes.json"
_CONDITIONS = {name: getattr(operator, name) for name in ("eq", "gt", "lt")} | {"gte": operator.ge, "lte": operator.le}
_SHOWN_ONLY = {"notice", "callout", "curlImport"}
Node = Mapping[str, Any]


def used() -> dict[str, set[float]]:
    """Types of nodes and their versions in the examples."""
    found: dict[str, set[float]] = {}
    for path in sorted((ROOT / "examples" / "n8n").glob("*.json")):
        for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]:
            found.setdefault(node["type"], set()).add(node["typeVersion"])
    return found


def read(package: Path) -> tuple[str, str, list[Node], list[Node]]:
    """Name, version, nodes and types of credentials of an npm package as `npm pack` gives it."""
    with tarfile.open(package) as archive:

        def member(name: str) -> Any:
            file = archive.extractfile(f"package/{name}")
            if file is None:
                message = f"{package.name} has no {name}"
                raise SystemExit(message)
            return json.load(file)

        about = member("package.json")
        return about["name"], about["version"], member("dist/types/nodes.json"), member("dist/types/credentials.json")


def holds(version: float, wanted: Sequence[Any]) -> bool:
    """Whether a node's version is one of those that a parameter is shown for, or hidden from."""
    for one in wanted:
        if not isinstance(one, Mapping):
            if one == version:
                return True
        elif all(_CONDITIONS[name](version, bound) for name, bound in one["_cnd"].items()):
            return True
    return False


def is_there(parameter: Node, version: float) -> bool:
    """Whether a version of a node has a parameter at all."""
    options = parameter.get("displayOptions", {})
    show, hide = (options.get(kind, {}).get("@version") for kind in ("show", "hide"))
    return (show is None or holds(version, show)) and (hide is None or not holds(version, hide))


def shape(parameters: Sequence[Node], version: float) -> dict[str, Any]:
    """Name -> true, the choices there are, or what is inside."""
    found: dict[str, Any] = {}
    for one in parameters:
        if one["type"] in _SHOWN_ONLY or not is_there(one, version):
            continue
        inside = one.get("options", [])
        if one["type"] == "collection":
            found.setdefault(one["name"], {}).update(shape(inside, version))
        elif one["type"] == "fixedCollection":
            groups = {group["name"]: shape(group["values"], version) for group in inside}
            found.setdefault(one["name"], {}).update(groups)
        elif one["type"] in {"options", "multiOptions"} and inside:
            known = found.get(one["name"]) or []
            found[one["name"]] = sorted({*known, *(str(choice["value"]) for choice in inside)})
        else:
            found.setdefault(one["name"], True)
    return found


def facts(name: str, nodes: Sequence[Node], wanted: Mapping[str, set[float]]) -> Iterator[tuple[str, Any]]:
    """`type@version` and what is known of it, for each that is wanted of a package."""
    for node in nodes:
        versions = node["version"] if isinstance(node["version"], list) else [node["version"]]
        kinds = [node["name"], *([f"{node['name']}Tool"] if node.get("usableAsTool") else [])]
        for kind in (f"{name}.{one}" for one in kinds):
            for version in sorted(wanted.get(kind, set()) & set(versions)):
                parameters = shape(node["properties"], version)
                if kind.endswith(f".{node['name']}Tool"):
                    parameters["toolDescription"] = True  # what n8n adds to a node that it makes a tool of
                credentials = sorted(one["name"] for one in node.get("credentials", []))
                yield f"{kind}@{version:g}", {"parameters": parameters, "credentials": credentials}


def main(packages: Sequence[str]) -> None:
    """Write the facts; say which nodes of the examples no package has."""
    wanted, versions, found, generic = used(), {}, {}, set()
    for package in map(Path, packages):
        name, version, nodes, credentials = read(package)
        versions[name] = version
        generic |= {one["name"] for one in credentials if one.get("genericAuth")}
        found.update(facts(name, nodes, wanted))
    missing = {f"{kind}@{version:g}" for kind, each in wanted.items() for version in each} - set(found)
    if missing:
        message = f"not in these packages: {', '.join(sorted(missing))}"
        raise SystemExit(message)
    text = json.dumps(
        {"packages": versions, "generic_credentials": sorted(generic), "nodes": found}, indent=1, sort_keys=True
    )
    FACTS.write_text(text + "\n", encoding="utf-8")
    print(f"wrote {FACTS.name}: {len(found)} nodes of {', '.join(f'{n} {v}' for n, v in versions.items())}")


if __name__ == "__main__":
    main(sys.argv[1:])
