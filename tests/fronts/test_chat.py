"""The model client against a server that misbehaves, and `retentive chat` with its memory switched on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chat_server import ChatServer, Reply, event, refusal, serving, words
from retentive import Memory, ScopedMemory, Settings
from retentive.cli import main
from retentive.errors import ConfigError, ModelError, ModelUnavailable
from retentive.models.chat import ChatModel

KEY = "test-key-0123456789"
HELLO = [{"role": "user", "content": "Hello"}]
NOBODY = "http://127.0.0.1:9/v1"  # the discard port: nothing listens


def ask(server: ChatServer, **options: Any) -> list[str]:
    with ChatModel(server.url, "tiny", api_key=KEY, **options) as model:
        return list(model.stream(HELLO))


# -- the client --------------------------------------------------------------------------------------------------------
def test_pieces_come_as_they_are_sent() -> None:
    with serving(words("Grü", "ße", "\u2028\n", "😀")) as server:
        assert ask(server) == ["Grü", "ße", "\u2028\n", "😀"]
    request = server.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["body"] == {"model": "tiny", "messages": HELLO, "stream": True}
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"


def test_an_answer_that_comes_whole_is_taken() -> None:
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Hi."}}]}).encode()
    with serving(Reply(body, headers={"Content-Type": "application/json; charset=utf-8"})) as server:
        assert ask(server) == ["Hi."]


def test_a_stream_may_end_without_done_when_it_said_why() -> None:
    last = event(choices=[{"delta": {}, "finish_reason": "stop"}])
    with serving(Reply(event("Hi.") + last)) as server:
        assert ask(server) == ["Hi."]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_passes_is_tried_again(status: int) -> None:
    with serving(refusal(status, Retry_After="0"), words("Hi.")) as server:
        assert ask(server) == ["Hi."]
    assert len(server.requests) == 2


def test_tries_are_bounded() -> None:
    with (
        serving(refusal(503, "overloaded", Retry_After="0")) as server,
        pytest.raises(ModelUnavailable, match="overloaded"),
    ):
        ask(server, max_retries=2)
    assert len(server.requests) == 3


@pytest.mark.parametrize("asked", ["3600", formatdate(4102444800)])
def test_an_endpoint_that_asks_to_wait_too_long_is_given_up_on(asked: str) -> None:
    with serving(refusal(429, Retry_After=asked)) as server, pytest.raises(ModelUnavailable, match="429"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 307])
def test_a_refusal_is_not_tried_again_and_the_key_is_not_shown(status: int) -> None:
    with serving(refusal(status, f"the key {KEY} is wrong")) as server, pytest.raises(ModelError) as caught:
        ask(server)
    assert not isinstance(caught.value, ModelUnavailable)
    assert str(status) in str(caught.value)
    assert KEY not in str(caught.value) + repr(caught.value.__cause__)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "bad",
    [
        b"data: {not json\n\n",
        b"data: [1]\n\n",
        b'data: {"choices": [7]}\n\n',
        b'data: {"choices": {"a": 1}}\n\n',
        b'data: {"error": {"message": "context is full"}}\n\n',
        b"",  # ends in the middle
        b"data: " + b"[" * 50_000 + b"\n\n",
    ],
)
def test_malformed_streams_are_errors_and_what_came_before_is_kept(bad: bytes) -> None:
    pieces: list[str] = []
    with serving(Reply(event("One ") + event("two") + bad)) as server, ChatModel(server.url, "tiny") as model:
        stream = model.stream(HELLO)
        pieces += [next(stream), next(stream)]
        with pytest.raises(ModelError):
            next(stream)
    assert pieces == ["One ", "two"]
    assert len(server.requests) == 1


def test_a_page_that_is_no_stream_is_an_error() -> None:
    page = Reply(b"<html>hello</html>", headers={"Content-Type": "text/html"})
    with serving(page) as server, pytest.raises(ModelError, match="no stream"):
        ask(server)


def test_a_lost_connection_is_repeated_only_before_the_first_word() -> None:
    with serving(Reply(cut=True), words("Hi.")) as server:
        assert ask(server) == ["Hi."]
    cut = Reply(event("Hi"), cut=True)
    with serving(cut, words("again")) as server, pytest.raises(ModelUnavailable, match="broke off"):
        ask(server)
    assert len(server.requests) == 1


def test_nobody_there_is_said_with_the_place() -> None:
    with (
        ChatModel(NOBODY, "tiny", max_retries=0) as model,
        pytest.raises(ModelUnavailable, match=re.escape("127.0.0.1:9")),
    ):
        list(model.stream(HELLO))


@pytest.mark.parametrize("url", ["", "api.example.com/v1", "ftp://x/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        ChatModel(url, "tiny")


def test_nothing_secret_is_shown() -> None:
    model = ChatModel("https://user:hidden@example.com/v1?key=hidden", "tiny", api_key=KEY)
    assert repr(model) == "ChatModel('https://example.com', 'tiny')"


# -- retentive chat ----------------------------------------------------------------------------------------------------
@pytest.fixture
def mine(settings: Path) -> Iterator[ScopedMemory]:
    with Memory.open(settings, settings=Settings(embedder="none"), background=False) as memory:
        yield memory.scope(user_id="alice")


@pytest.fixture
def chat(settings: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    assert settings.parent.is_dir()
    monkeypatch.setenv("RETENTIVE_MODEL_KEY", KEY)
    monkeypatch.setenv("RETENTIVE_MODEL_NAME", "tiny")

    def chat(url: str, *lines: str, options: tuple[str, ...] = ()) -> Result:
        said = "".join(f"{line}\n" for line in lines)
        result = CliRunner().invoke(main, ["chat", "--model-url", url, *options], input=said)
        assert result.exit_code == 0, result.output
        assert KEY not in result.output
        return result

    return chat


def said(mine: ScopedMemory) -> list[tuple[str | None, str]]:
    return [(item.role, item.text) for item in reversed(list(mine.list("episodic")))]


def prompts(server: ChatServer) -> list[str]:
    return [request["body"]["messages"][0]["content"] for request in server.requests]


def test_both_sides_are_stored_and_the_session_is_ended(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    with serving(words("Nice ", "colour."), words("Bye.")) as server:
        result = chat(server.url, "My bicycle is green", "", "Goodbye", "/quit", "never said")
    assert "Nice colour.\n" in result.stdout
    assert said(mine) == [
        ("user", "My bicycle is green"),
        ("assistant", "Nice colour."),
        ("user", "Goodbye"),
        ("assistant", "Bye."),
    ]
    assert [(s.state, s.message_count) for s in mine.sessions()] == [("ended", 4)]
    assert server.requests[1]["body"]["messages"][1:] == [
        {"role": "user", "content": "My bicycle is green"},
        {"role": "assistant", "content": "Nice colour."},
        {"role": "user", "content": "Goodbye"},
    ]


def test_the_next_conversation_is_told_what_is_remembered(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    mine.update_profile({"name": "Alice"})
    mine.remember("My bicycle is green")
    with serving(words("Green.")) as server:
        result = chat(server.url, "/memory", "What colour is my bicycle?", "/memory", "/why")
    assert prompts(server)[0].startswith("You are a helpful personal assistant.")
    assert "My bicycle is green" in prompts(server)[0]
    assert "What colour" not in prompts(server)[0]  # what was just said is a message, not a memory
    assert result.stdout.count("- name: Alice") == 2
    assert "My bicycle is green\n  2" in result.stdout.partition("</MEMORY>")[2]
    assert "said by user" in result.stdout


def test_what_is_forgotten_is_not_said_to_the_model_again(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    mine.remember("My sister Ottilie moved in")
    with serving(words("Noted.")) as server:
        lines = ("Ottilie likes tea", "/forget Ottilie", "all", "/memory", "Hello again", "/forget Ottilie")
        result = chat(server.url, *lines)
    assert "forgotten, gone" in result.stdout
    assert "Ottilie" not in json.dumps(server.requests[-1]["body"])
    assert not any("Ottilie" in text for _, text in said(mine))
    assert list(mine.list("semantic")) == []
    assert result.stdout.rstrip().endswith("nothing forgotten")


def test_forgetting_asks_first_and_takes_ids_and_numbers(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    first, second = (mine.remember(text).ids[0] for text in ("I like red tea", "My cat drinks tea"))
    with serving(words("Ok.")) as server:
        chat(server.url, f"/forget {first}", "no", "/forget tea", "none", "/forget tea", "7", "/forget tea")
        assert {item.id for item in mine.list()} == {first, second}
        chat(server.url, f"/forget {first}", "yes", "/forget tea", "1", "/forget", "/what")
    assert list(mine.list()) == []


def test_the_users_words_are_stored_when_the_model_fails(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    with serving(refusal(400, "too long"), Reply(event("I th") + b"data: {\n\n"), words("Back.")) as server:
        result = chat(server.url, "one", "two", "three")
    assert result.stderr.count("(what you said is stored)") == 2
    assert "Traceback" not in result.output
    assert said(mine) == [
        ("user", "one"),
        ("user", "two"),
        ("assistant", "I th"),
        ("user", "three"),
        ("assistant", "Back."),
    ]


def test_a_busy_model_is_asked_again(chat: Callable[..., Result]) -> None:
    with serving(refusal(429, Retry_After="0"), words("Hi.")) as server:
        result = chat(server.url, "Hello")
    assert ("Hi.\n" in result.stdout, result.stderr) == (True, "")


def test_ctrl_c_stops_the_answer_and_not_the_conversation(
    chat: Callable[..., Result], mine: ScopedMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Iterator[str]:
        yield "Once upon"
        raise KeyboardInterrupt

    monkeypatch.setattr(ChatModel, "stream", interrupted)
    chat(NOBODY, "Tell me a story", "/quit")
    assert said(mine) == [("user", "Tell me a story"), ("assistant", "Once upon")]
    assert mine.list("episodic").items[0].metadata == {"interrupted": True}


def test_ctrl_c_while_waiting_ends_the_conversation(mine: ScopedMemory) -> None:
    command = [sys.executable, "-m", "retentive.cli", "chat"]
    with serving(words("Hi.")) as server:
        environment = os.environ | {"RETENTIVE_MODEL_URL": server.url, "RETENTIVE_MODEL_NAME": "tiny"}
        child = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True, env=environment)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("Hello\n")
        child.stdin.flush()
        assert child.stdout.readline() == "Hi.\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate()
    assert (child.returncode, err) == (0, "")
    assert mine.sessions()[0].state == "ended"


def test_a_conversation_is_gone_on_with(chat: Callable[..., Result], mine: ScopedMemory) -> None:
    with serving(words("Hi.")) as server:
        chat(server.url, "My bicycle is green", options=("--session", "s1"))
        chat(server.url, "And now?", options=("--session", "s1", "--system", "Be brief."))
    contents = [message["content"] for message in server.requests[-1]["body"]["messages"]]
    assert contents[0].startswith("Be brief.")
    assert contents[1:] == ["My bicycle is green", "Hi.", "And now?"]
    assert mine.sessions()[0].message_count == 4


def test_the_models_answer_steers_no_terminal(chat: Callable[..., Result]) -> None:
    with serving(words("a\x1b[2J b", " c\n d ")) as server:
        assert "a\\x1b[2J b c\n d \n" in chat(server.url, "Hello").stdout
