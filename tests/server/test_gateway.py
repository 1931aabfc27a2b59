"""The gateway with OpenAI's own client: memory goes in, what was said is kept, and what it took is entered."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from chat_server import ChatServer, Reply, event, refusal, words
from chat_server import serving as upstream
from gateways import USAGE, asked, client, gateway, said, whole
from model_endpoint import endpoint
from retentive.block import parse_block
from retentive.server import chat_upstream
from retentive.server.chat_request import with_memory


def test_an_answer_has_memory_and_is_remembered(tmp_path: Path) -> None:
    with upstream(whole("By the window.")) as model, gateway(tmp_path, model.url) as (memory, url):
        mine = memory.scope(user_id="alice")
        mine.remember("Allergic to peanuts", evergreen=True)
        mine.remember("Prefers window seats")
        key = memory.keys.create("app", rights=["read", "write"])
        with client(url, key.text) as chat:
            answer = chat.chat.completions.create(
                model="tiny",
                temperature=0.5,
                messages=[
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Which seats do I like?"},
                ],
            )
        assert answer.choices[0].message.content == "By the window."
        sent = model.requests[0]
        assert (sent["path"], sent["headers"]["Authorization"]) == (
            "/v1/chat/completions",
            "Bearer sk-upstream-0123456789",
        )
        assert sent["body"]["temperature"] == 0.5
        system, question = sent["body"]["messages"]
        instructions, stable = system["content"].split("\n\n", 1)
        assert instructions == "Be brief."
        assert parse_block(stable) == {"Always": ["Allergic to peanuts"]}
        volatile, text = question["content"].rsplit("\n\n", 1)
        assert text == "Which seats do I like?"
        assert parse_block(volatile)["Recalled"] == ["Prefers window seats"]
        assert said(memory) == ["Which seats do I like?", "By the window."]
        spent = memory.usage(("operation", "session"))
        assert [(line.key[0], line.tokens, line.usage.cached_tokens) for line in spent] == [
            (f"chat key-{key.key.id}", 920, 800)
        ]


def test_which_memories_made_a_session_expensive(tmp_path: Path) -> None:
    """What each memory took of the prompts and of the money; what is forgotten is not told any more."""
    prices = {"model_prices": ("10", "1", "20")}
    with upstream(whole("By the window.")) as model, gateway(tmp_path, model.url, **prices) as (memory, url):
        mine = memory.scope(user_id="alice")
        (peanuts,) = mine.remember("Allergic to peanuts", evergreen=True).ids
        (seats,) = mine.remember("Prefers window seats in the front of the plane, near the exit, for her knees").ids
        headers = {"x-session-id": "trip"}
        with client(url) as chat:
            for question in ("Which seats do I like?", "And peanuts?"):
                chat.chat.completions.create(**asked(question), extra_headers=headers)
        took = mine.session_usage("trip")
        assert (took.calls, took.usage.prompt_tokens) == (2, 1800)
        by_id = {one.memory_id: one for one in took.memories}
        assert (by_id[peanuts].calls, by_id[seats].calls, by_id[None].calls) == (2, 1, 2)
        assert by_id[seats].tokens > by_id[peanuts].tokens > 0
        assert took.block_tokens == sum(one.tokens for one in took.memories) < 1800
        of_prompt = (100 * 10 + 800 * 1) / 1e6 / 900  # what a token of these prompts costs: most of them are cached
        assert by_id[seats].cost == pytest.approx(by_id[seats].tokens * of_prompt)
        assert took.block_cost == pytest.approx(took.block_tokens * of_prompt)
        page = httpx2.get(f"{url.removesuffix('/v1')}/session", params={"user_id": "alice", "id": "trip"}).text
        assert "Allergic to peanuts</a>" in page
        over_http = httpx2.get(f"{url}/sessions/trip/usage", params={"user_id": "alice"}).json()
        tokens = {one["memory_id"]: one["tokens"] for one in over_http["memories"]}
        assert tokens == {one.memory_id: one.tokens for one in took.memories}
        mine.forget(seats)
        assert {one.memory_id for one in mine.session_usage("trip").memories} == {peanuts, None}


def test_a_call_that_fails_carries_nothing(tmp_path: Path) -> None:
    with upstream(refusal(400, "no such model")) as model, gateway(tmp_path, model.url) as (memory, url):
        mine = memory.scope(user_id="alice")
        mine.remember("Allergic to peanuts", evergreen=True)
        with client(url) as chat, pytest.raises(openai.BadRequestError):
            chat.chat.completions.create(**asked("Peanuts?"), extra_headers={"x-session-id": "trip"})
        took = mine.session_usage("trip")
        assert (took.calls, took.failed, took.memories) == (1, 1, ())


def test_a_stream_is_passed_on_as_it_comes_and_is_remembered(tmp_path: Path) -> None:
    with upstream(words("By ", "the ", "window.")) as model, gateway(tmp_path, model.url) as (memory, url):
        with client(url) as chat:
            stream = chat.chat.completions.create(**asked("Which seats?"), stream=True)
            pieces = [part.choices[0].delta.content or "" for part in stream]
        assert "".join(pieces) == "By the window."
        assert model.requests[0]["body"]["stream_options"] == {"include_usage": True}
        assert said(memory) == ["Which seats?", "By the window."]
        assert memory.usage()[0].calls == 1


def test_an_endpoint_that_does_not_say_what_it_took_is_entered_by_all_that_was_sent(tmp_path: Path) -> None:
    silent = Reply(event("Yes.") + b"data: [DONE]\n\n")
    with upstream(silent) as model, gateway(tmp_path, model.url) as (memory, url):
        memory.scope(user_id="alice").remember("Allergic to peanuts", evergreen=True)
        with client(url) as chat:
            body = asked("Is it?")
            body["messages"].insert(0, {"role": "system", "content": "Answer in one word. " * 50})
            assert list(chat.chat.completions.create(**body, stream=True))
        (took,) = memory.usage()
        sent = sum(len(message["content"].split()) for message in model.requests[0]["body"]["messages"])
        assert took.usage.prompt_tokens >= sent > 200


def test_a_tool_is_called_in_a_stream_and_its_result_goes_on(tmp_path: Path) -> None:
    """The call passes through as it came, what the tool gave is kept as a tool's word, and it is one conversation."""
    call = {"index": 0, "id": "call-1", "type": "function", "function": {"name": "seats", "arguments": '{"row": 7}'}}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    answers = [
        Reply(event(choices=[{"index": 0, "delta": delta, "finish_reason": why}], **chunk) + b"data: [DONE]\n\n")
        for delta, why in (
            ({"role": "assistant", "tool_calls": [call]}, "tool_calls"),
            ({"role": "assistant", "content": "7A is free."}, "stop"),
        )
    ]
    tools: Any = [{"type": "function", "function": {"name": "seats", "parameters": {"type": "object"}}}]
    with upstream(*answers) as model, gateway(tmp_path, model.url) as (memory, url):
        messages: list[Any] = [{"role": "user", "content": "Is a seat free in row 7?"}]
        with client(url) as chat:
            with chat.chat.completions.stream(model="tiny", messages=messages, tools=tools) as stream:
                message = stream.get_final_completion().choices[0].message
            assert message.tool_calls[0].function.arguments == '{"row": 7}'
            messages += [message.model_dump(exclude_none=True, exclude={"parsed"})]
            messages += [{"role": "tool", "tool_call_id": "call-1", "content": "7A, 7C"}]
            with chat.chat.completions.stream(model="tiny", messages=messages, tools=tools) as stream:
                assert stream.get_final_completion().choices[0].message.content == "7A is free."
        assert model.requests[1]["body"]["messages"][-1] == messages[-1]
        assert model.requests[1]["body"]["tools"] == tools
        mine = memory.scope(user_id="alice")
        (session,) = mine.sessions()
        told = [(item.role, item.text, item.trust) for item in mine.session_messages(session.id)]
        assert told == [
            ("user", "Is a seat free in row 7?", "user"),
            ("tool", "7A, 7C", "untrusted"),
            ("assistant", "7A is free.", "assistant"),
        ]


def test_a_client_that_asks_for_the_usage_gets_it(tmp_path: Path) -> None:
    last = event(choices=[], usage=USAGE)
    with upstream(Reply(event("Yes.") + last + b"data: [DONE]\n\n")) as model, gateway(tmp_path, model.url) as (_, url):
        with client(url) as chat:
            stream = chat.chat.completions.create(
                **asked("Is it?"), stream=True, stream_options={"include_usage": True}
            )
            parts = list(stream)
        assert parts[-1].usage.prompt_tokens == 900


@pytest.mark.parametrize("hint", ["cache_control", "prompt_cache_key", None])
def test_two_turns_of_one_conversation_are_the_same_bytes_up_to_what_is_recalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hint: str | None
) -> None:
    """What a provider has cached: instructions, stable memory and the conversation up to the question before."""
    monkeypatch.setattr(chat_upstream, "cache_hint_of", lambda _: hint)
    with upstream(whole("By the window.")) as model, gateway(tmp_path, model.url) as (memory, url):
        mine = memory.scope(user_id="alice")
        mine.update_profile({"name": "Alice"})
        mine.remember("Never by plane", evergreen=True)
        for number in range(20):
            mine.remember(f"Trip {number} was by train to city {number}")
        messages: list[Any] = [{"role": "system", "content": "Be brief."}]
        with client(url) as chat:
            for question in ("Which seats on trip 3?", "And the meal on trip 7?", "And the hotel on trip 9?"):
                messages.append({"role": "user", "content": question})
                answer = chat.chat.completions.create(model="tiny", messages=messages)
                messages.append({"role": "assistant", "content": answer.choices[0].message.content})
        assert len(mine.sessions()) == 1
        for before, after in itertools.pairwise(model.requests):
            question = before["body"]["messages"][-1]["content"]
            assert "Recalled" in question
            stays = before["raw"].index(json.dumps(question)[:20].encode())
            assert before["raw"][:stays] == after["raw"][:stays]
            assert b"Never by plane" in before["raw"][:stays]
        system = [request["body"]["messages"][0]["content"] for request in model.requests]
        if hint == "cache_control":
            assert [[part.get(hint) for part in parts][-1] for parts in system] == [{"type": "ephemeral"}] * 3
        keys = {request["body"].get("prompt_cache_key") for request in model.requests}
        assert (keys == {None}) == (hint != "prompt_cache_key")
        assert len(keys) == 1


def test_the_next_turn_begins_with_the_same_bytes(tmp_path: Path) -> None:
    """Also where the conversation is not one that the gateway recorded."""
    with upstream(whole("By the window.")) as model, gateway(tmp_path, model.url) as (memory, url):
        mine = memory.scope(user_id="alice")
        mine.update_profile({"name": "Alice"})
        mine.remember("Prefers window seats")
        messages = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which seats do I like?"},
            {"role": "assistant", "content": "By the window."},
        ]
        with client(url) as chat:
            for question in ("And the meal?", "And the hotel?"):
                chat.chat.completions.create(model="tiny", messages=[*messages, {"role": "user", "content": question}])
        first, second = (json.dumps(request["body"]["messages"]) for request in model.requests)
        common = next(place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
        assert "By the window." in first[:common]
        assert "Alice" in first[:common]
        assert said(memory)[0] == "And the meal?"  # what was said before is not recorded again


def test_what_was_said_is_recorded_once(tmp_path: Path) -> None:
    with upstream(whole("Yes.")) as model, gateway(tmp_path, model.url) as (memory, url):
        with client(url) as chat:
            for _ in range(3):
                chat.chat.completions.create(**asked("Is it raining?"))
        assert said(memory) == ["Is it raining?", "Yes."]
        memory.process()
        assert all("MEMORY" not in item.text for item in memory.scope(user_id="alice").list(limit=100))


@pytest.mark.parametrize("streamed", [False, True])
def test_the_fallback_answers_when_the_first_is_down(tmp_path: Path, streamed: bool) -> None:
    good = words("Here.") if streamed else whole("Here.")
    with upstream(refusal(500)) as down, upstream(good) as other:
        more = {"model_fallback_url": other.url, "model_fallback_name": "spare"}
        with gateway(tmp_path, down.url, **more) as (memory, url), client(url) as chat:
            answer: Any = chat.chat.completions.create(**asked("Where?"), stream=streamed)
            text = (
                "".join(part.choices[0].delta.content or "" for part in answer)
                if streamed
                else answer.choices[0].message.content
            )
            assert (text, said(memory)) == ("Here.", ["Where?", "Here."])
        assert [request["body"]["model"] for request in other.requests] == ["spare"]


@pytest.mark.parametrize(
    ("replies", "error", "status"),
    [
        ([refusal(400, "max_tokens is too large")], openai.BadRequestError, 400),
        ([refusal(429, Retry_After="40")], openai.RateLimitError, 429),
        ([refusal(401, "bad key")], openai.InternalServerError, 502),
        ([Reply(b"<html>")], openai.InternalServerError, 502),
    ],
)
def test_what_the_endpoint_refuses_is_told(tmp_path: Path, replies: list[Reply], error: Any, status: int) -> None:
    with upstream(*replies) as model, gateway(tmp_path, model.url) as (memory, url):
        with client(url) as chat, pytest.raises(error) as caught:
            chat.chat.completions.create(**asked("Is it?"))
        assert caught.value.status_code == status
        assert "sk-upstream" not in str(caught.value)
        assert said(memory) == ["Is it?"]  # what the user said is kept
        assert memory.usage()[0].failed == 1


def test_a_stream_that_breaks_off_keeps_what_came(tmp_path: Path) -> None:
    with upstream(Reply(event("By the "), cut=True)) as model, gateway(tmp_path, model.url) as (memory, url):
        with client(url) as chat, pytest.raises(openai.APIError, match="broke off"):
            list(chat.chat.completions.create(**asked("Which seats?"), stream=True))
        assert said(memory) == ["Which seats?", "By the "]


def test_a_client_that_goes_away_leaves_what_came(tmp_path: Path) -> None:
    """The endpoint has more to say; what was said until then is kept, and it is asked no further."""
    gone = threading.Event()

    def begins(handler: Any, _: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        with contextlib.suppress(OSError):
            while not gone.is_set():
                handler.wfile.write(event("By the "))
                handler.wfile.flush()
                gone.wait(0.05)
            while True:  # until the gateway hangs up
                handler.wfile.write(event("more "))
                gone.wait(0)
                time.sleep(0.02)

    with endpoint(begins) as model, gateway(tmp_path, model.url) as (memory, url):
        with client(url) as chat:
            stream = chat.chat.completions.create(**asked("Which seats?"), stream=True)
            next(iter(stream))
            stream.close()
        gone.set()
        while len(said(memory)) < 2:
            time.sleep(0.02)
        assert said(memory)[1].startswith("By the ")
        assert memory.usage()[0].calls == 1


def test_a_tenant_that_has_spent_its_hour_is_refused(tmp_path: Path) -> None:
    with upstream(whole("Yes.")) as model, gateway(tmp_path, model.url, limit_tokens_hour=3000) as (memory, url):
        with client(url) as chat:
            chat.chat.completions.create(**asked("Is it?"), max_tokens=100)
            with pytest.raises(openai.RateLimitError):
                chat.chat.completions.create(**asked("Is it really?"), max_tokens=2500)
        assert len(model.requests) == 1
        assert memory.usage()[0].tokens == 920


def test_a_secret_in_the_name_of_a_session_is_not_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "k3Vq9ZtB1nX7cR5mW2yL8pD4sF6hJ0aGuE1T"
    with upstream(whole("By the window.")) as model, gateway(tmp_path, model.url) as (memory, url):
        mine = memory.scope(user_id="alice")
        mine.remember("Prefers window seats")
        with client(url) as chat:
            chat.chat.completions.create(**asked("Which seats do I like?"), extra_headers={"x-session-id": secret})
        assert mine.session_usage(secret).calls == 1
        assert {line.key for line in memory.usage(["session"])} == {(mine.sessions()[0].id,)}
        assert not any(secret.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_keys_users_and_sessions(tmp_path: Path) -> None:
    with upstream(whole("Yes.")) as model, gateway(tmp_path, model.url) as (memory, url):
        both, reading = memory.keys.create("a", rights=["read", "write"]), memory.keys.create("b", rights=["read"])
        own = memory.keys.create("c", rights=["read", "write"], users=["ann"])
        for key, error in (("none", openai.AuthenticationError), (reading.text, openai.PermissionDeniedError)):
            with client(url, key) as chat, pytest.raises(error):
                chat.chat.completions.create(**asked("Is it?"))
        with client(url, own.text, default_query={}) as chat:
            chat.chat.completions.create(**asked("I am Ann, is it?"), user="bob")
        with client(url, both.text, default_query={}, default_headers={"X-Session-Id": "s1"}) as chat:
            chat.chat.completions.create(**asked("I am Bob, is it?"), user="bob")
            assert [model.id for model in chat.models.list()] == ["tiny"]
            with pytest.raises(openai.UnprocessableEntityError, match="user_id"):
                chat.chat.completions.create(**asked("Who am I?"))
        assert (said(memory, "ann")[0], said(memory, "bob")[0]) == ("I am Ann, is it?", "I am Bob, is it?")
        assert [session.id for session in memory.scope(user_id="bob").sessions()] == ["s1"]


def test_what_a_prompt_cache_saves_is_printed() -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "prompt_cache_saving.py"
    ran = subprocess.run([sys.executable, script, "--turns", "10"], capture_output=True, text=True, check=True)
    saved = re.search(r"saved by the gateway's layout: (\d+)%", ran.stdout)
    assert saved is not None
    assert int(saved[1]) > 30


@pytest.mark.parametrize("body", [[], {}, {"messages": []}, {"messages": ["x"]}, {"messages": [{"role": "boss"}]}])
def test_what_is_no_chat_is_refused(tmp_path: Path, body: Any) -> None:
    with ChatServer([]) as model, gateway(tmp_path, model.url) as (_, url):
        import httpx2  # noqa: PLC0415  raw: no client sends such a thing

        answer = httpx2.post(f"{url}/chat/completions", params={"user_id": "alice"}, json=body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")


def test_cache_hints_mark_the_end_of_what_stays() -> None:
    body = {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]}
    marked = with_memory(body, "<M>stable</M>", "<M>volatile</M>", "cache_control")["messages"]
    assert [part.get("cache_control") for part in marked[0]["content"]] == [{"type": "ephemeral"}]
    assert marked[1]["content"].startswith("<M>volatile</M>")
    keyed = [with_memory(body, "<M>stable</M>", f"<M>{n}</M>", "prompt_cache_key")["prompt_cache_key"] for n in (1, 2)]
    assert keyed[0] == keyed[1]
    parts = {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}
    made = with_memory(parts, "stable", "volatile", None)["messages"]
    assert [part["text"] for part in made[1]["content"]] == ["volatile", "Hi"]
    assert body["messages"][0]["content"] == "Be brief."
