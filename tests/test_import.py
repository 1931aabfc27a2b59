"""What importing the package may do: nothing but load its own code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "retentive"

#: Heavy, or a driver: loaded at first use, never by `import retentive`.
LAZY = {"apsw", "asyncio", "click", "httpx2", "numpy", "onnxruntime", "platformdirs", "ssl", "Stemmer"}

#: Its own files and sockets are not what is asked about, so what the package needs is imported before the watch begins.
NEEDS = (
    "import asyncio, apsw, click, httpx2, numpy.typing, onnxruntime, platformdirs, socket, sqlite3, Stemmer, uuid\n"
    "import mcp.server.stdio, mcp.server.streamable_http_manager, starlette.applications, uvicorn\n"
    "import gspread, qdrant_client.http, requests"
)

#: Keeps what happens from here on: files opened, names of the environment read, folders made, sockets, processes.
WATCH = """
import json, os, sys
seen = {"opened": [], "read": [], "done": [], "modules": []}
class Watched(type(os.environ)):
    def __getitem__(self, name):
        seen["read"].append(str(name))
        return super().__getitem__(name)
    def __iter__(self):
        seen["read"].append("all of it")
        return super().__iter__()
def note(event, args):
    if event == "open":
        seen["opened"].append(str(args[0]))
    elif event.partition(".")[0] in {"socket", "subprocess", "sqlite3"} or event in {"os.mkdir", "os.system"}:
        seen["done"].append(event)
os.environ.__class__ = Watched
before = set(sys.modules)
sys.addaudithook(note)
"""

REPORT = """
kept = json.loads(json.dumps(seen))
kept["modules"] = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
print(json.dumps(kept))
"""


def watched(code: str, *, first: str = "") -> dict[str, list[str]]:
    """Run code in a fresh interpreter with a nonsensical environment; say what it opened, read, did and loaded."""
    environment = {"RETENTIVE_NO_SUCH_SETTING": "1", "RETENTIVE_URL": "nonsense://", "PYTHONDONTWRITEBYTECODE": "1"}
    script = f"{first}\n{WATCH}\n{code}\n{REPORT}"
    ran = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr
    seen: dict[str, list[str]] = json.loads(ran.stdout)
    return seen


def not_code(names: list[str]) -> set[str]:
    """The opened files that no import opens: data, settings, stores."""
    return {name for name in names if Path(name).suffix not in {".py", ".pyc", ".so", ".pyd"}}


def test_importing_retentive_loads_no_driver_and_touches_nothing() -> None:
    seen = watched("import retentive")
    assert LAZY & set(seen["modules"]) == set()
    assert (not_code(seen["opened"]), seen["read"], seen["done"]) == (set(), [], [])


def test_importing_every_module_touches_nothing() -> None:
    files = [path.relative_to(PACKAGE.parent).with_suffix("") for path in sorted(PACKAGE.rglob("*.py"))]
    names = [".".join(path.parts).removesuffix(".__init__") for path in files if path.name != "__main__"]
    seen = watched("\n".join(f"import {name}" for name in names), first=NEEDS)
    ours = {name for name in not_code(seen["opened"]) if Path(name).is_relative_to(PACKAGE)}
    assert ours == set()
    assert {name for name in seen["read"] if name.startswith("RETENTIVE") or name == "all of it"} == set()
    assert seen["done"] == []


def test_the_public_names_load_when_they_are_used() -> None:
    code = "import retentive\nfor name in retentive.__all__: getattr(retentive, name)"
    assert "numpy" in watched(code)["modules"]
