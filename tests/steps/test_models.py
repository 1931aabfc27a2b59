"""The model client: what it sends, whom it asks next, and what it never shows."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from model_endpoint import (
    ASK,
    GOOD,
    KEY,
    SCHEMA,
    Behaviour,
    Endpoint,
    Place,
    asked,
    client_of,
    cut_short,
    endpoint,
    refuses,
    reset,
    says,
    sends,
    silent,
    slow,
)
from retentive.errors import ConfigError, ModelUnavailable
from retentive.models.failures import CallUnavailable
from retentive.models.openai_compatible import OpenAICompatibleModel


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which then take no time."""
    taken: list[float] = []
    monkeypatch.setattr("retentive.models.http.time.sleep", taken.append)
    return taken


# -- what is sent ------------------------------------------------------------------------------------------------------
def test_openai_is_asked_for_a_strict_schema_once() -> None:
    value, requests = asked(says(GOOD))
    assert value == GOOD
    assert len(requests) == 1
    assert requests[0].path == "/v1/chat/completions"
    assert requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert requests[0].body == {
        "model": "tiny",
        "messages": ASK,
        "max_tokens": 1024,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
    }


def test_a_schema_that_is_open_is_not_called_strict() -> None:
    with endpoint(says({"city": "Turin", "river": "Po"})) as server:
        schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        assert client_of(server).complete(ASK, schema=schema).data["river"] == "Po"
        assert server.asked[0].body["response_format"]["json_schema"]["strict"] is False


def test_words_are_asked_for_where_there_is_no_schema() -> None:
    with endpoint(says("Turin, on the Po.")) as server:
        reply = client_of(server).complete(ASK, max_tokens=7)
        assert (reply.data, reply.text, reply.model) == (None, "Turin, on the Po.", "tiny")
        assert server.asked[0].body == {"model": "tiny", "messages": ASK, "max_tokens": 7, "temperature": 0}


def test_gateways_get_their_headers() -> None:
    _, requests = asked(says(GOOD), headers={"x-cache-ttl": "3600"})
    assert requests[0].headers["x-cache-ttl"] == "3600"


def test_anthropic_is_told_where_the_stable_part_ends() -> None:
    _, requests = asked(says(GOOD), cache="cache_control")
    system, user = requests[0].body["messages"]
    part = {"type": "text", "text": ASK[0]["content"], "cache_control": {"type": "ephemeral"}}
    assert system == {"role": "system", "content": [part]}
    assert user == ASK[1]


def test_openai_is_told_what_prompts_have_in_common() -> None:
    other = [ASK[0], {"role": "user", "content": "I live in Ghent."}]
    another = [{"role": "system", "content": "Something else."}, ASK[1]]
    with endpoint(says("Fine.")) as server:
        client = client_of(server, cache="prompt_cache_key")
        for messages in (ASK, other, another):
            client.complete(messages)
        keys = [request.body["prompt_cache_key"] for request in server.asked]
    assert keys[0] == keys[1] != keys[2]
    assert "Turin" not in keys[0]
    assert len(keys[0]) <= 64


# -- the chain ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "trouble",
    [
        refuses(429, Retry_After="0"),
        refuses(500),
        refuses(503),
        reset,
        cut_short,
        refuses(401, "bad key"),
        says(None, refusal="I cannot help with that."),
        says("", finish="content_filter"),
        says("", finish="sensitive"),
        refuses(400, "The response was filtered", code="content_filter"),
        sends({"error": {"message": "Provider is overloaded", "code": 502}}),
    ],
)
def test_the_next_endpoint_is_asked(trouble: Behaviour, waits: list[float]) -> None:
    with endpoint(trouble) as first, endpoint(says(GOOD)) as second:
        assert client_of(first, second, max_retries=1).complete(ASK, schema=SCHEMA).data == GOOD
    assert len(second.asked) == 1
    assert len(waits) <= 1


def test_an_endpoint_that_is_silent_leaves_time_for_the_next() -> None:
    with endpoint(silent) as first, endpoint(says(GOOD)) as second:
        assert client_of(first, second).complete(ASK, schema=SCHEMA, timeout_s=1.5).data == GOOD
    assert len(first.asked) == 1


@pytest.mark.parametrize("trouble", [silent, slow])
def test_an_answer_that_does_not_come_in_time_is_an_outage(trouble: Behaviour, waits: list[float]) -> None:
    with (
        endpoint(trouble) as server,
        pytest.raises(ModelUnavailable, match="did not answer in time"),
    ):
        client_of(server, timeout_s=0.3, max_retries=1).complete(ASK, schema=SCHEMA)
    assert len(waits) == 1


def test_nobody_listening_is_an_outage(waits: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can have the port
        place = Place(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "tiny")
        with pytest.raises(ModelUnavailable, match="could not be reached"):
            OpenAICompatibleModel([place]).complete(ASK)
    assert len(waits) == 2


@pytest.mark.parametrize("trouble", [refuses(429), refuses(502), reset])
def test_passing_trouble_is_tried_again(trouble: Behaviour, waits: list[float]) -> None:
    value, requests = asked(trouble, trouble, says(GOOD))
    assert value == GOOD
    assert len(requests) == 3
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2


@pytest.mark.parametrize(("told", "least", "most"), [("7", 7, 7), (formatdate(0), 0.5, 1), ("soon", 0.5, 1)])
def test_a_wait_that_is_asked_for_is_taken(told: str, least: float, most: float, waits: list[float]) -> None:
    asked(refuses(429, Retry_After=told), says(GOOD))
    assert len(waits) == 1
    assert least <= waits[0] <= most


def test_a_wait_too_long_is_handed_on_to_whoever_comes_back(waits: list[float]) -> None:
    with endpoint(refuses(429, "slow down", Retry_After="120")) as server, pytest.raises(CallUnavailable) as caught:
        client_of(server).complete(ASK, schema=SCHEMA, timeout_s=600)
    assert caught.value.retry_after_s == 120
    assert isinstance(caught.value, ModelUnavailable)
    assert (len(server.asked), waits) == (1, [])


def test_a_call_is_over_when_its_time_is(waits: list[float]) -> None:
    with endpoint(refuses(503, Retry_After="20")) as server, pytest.raises(ModelUnavailable, match="503"):
        client_of(server).complete(ASK, schema=SCHEMA, timeout_s=5)
    assert (len(server.asked), waits) == (1, [])


# -- secrets -----------------------------------------------------------------------------------------------------------
HIDDEN = ["hidden-password", "hidden-query", "hidden-header", KEY]


@pytest.fixture
def secretive() -> Iterator[tuple[OpenAICompatibleModel, Endpoint]]:
    with endpoint(refuses(400, f"wrong key {KEY} hidden-header hidden-query hidden-password")) as server:
        url = server.url.replace("127", "user:hidden-password@127", 1) + "?key=hidden-query"
        client = OpenAICompatibleModel([Place(url, "tiny", api_key=KEY, headers={"x-token": "hidden-header"})])
        yield client, server
        client.close()


def test_nothing_secret_is_shown_anywhere(
    secretive: tuple[OpenAICompatibleModel, Endpoint], caplog: pytest.LogCaptureFixture
) -> None:
    client, server = secretive
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelUnavailable) as caught:
        client.complete(ASK)
    assert server.asked[0].path == "/v1/chat/completions?key=hidden-query"
    assert server.asked[0].headers["x-token"] == "hidden-header"
    shown = [str(caught.value), repr(caught.value), repr(caught.value.__cause__), repr(client), caplog.text]
    place = Place("http://example.com/v1", "tiny", api_key=KEY, headers={"x-token": "hidden-header"})
    shown += [repr(place), repr(vars(client))]
    assert "wrong key ***" in shown[0]
    assert [(secret, text) for secret in HIDDEN for text in shown if secret in text] == []


def test_user_and_password_of_the_url_are_sent() -> None:
    with endpoint(says("Fine.")) as server:
        url = server.url.replace("127", "user:pass%20word@127", 1)
        OpenAICompatibleModel([Place(url, "tiny")]).complete(ASK)
    assert server.asked[0].headers["Authorization"] == "Basic dXNlcjpwYXNzIHdvcmQ="


@pytest.mark.parametrize(
    "place",
    [
        Place("", "m"),
        Place("ftp://example.com", "m"),
        Place("http://a:b/", "m"),
        Place("http://127.0.0.1:1/v1", "m", api_key="key\nX-Other: 1"),
        Place("http://127.0.0.1:1/v1", "m", headers={"x-a": "line\nend"}),
    ],
)
def test_an_endpoint_that_cannot_be_asked_is_refused_at_once(place: Place) -> None:
    with pytest.raises(ConfigError):
        OpenAICompatibleModel([place])


def test_a_model_needs_an_endpoint() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        OpenAICompatibleModel([])


# -- threads -----------------------------------------------------------------------------------------------------------
def test_threads_share_a_model() -> None:
    found: list[Any] = []
    with endpoint(says(GOOD)) as server:
        client = client_of(server)
        threads = [
            threading.Thread(target=lambda: found.append(client.complete(ASK, schema=SCHEMA).data)) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.close()
        assert client.complete(ASK, schema=SCHEMA).data == GOOD  # it opens again
        client.close()
    assert found == [GOOD] * 8
    assert json.dumps(server.asked[0].body) == json.dumps(server.asked[-1].body)
