"""What the model client makes of replies: each provider's shape, and every way in which a reply can be bad."""

from __future__ import annotations

from typing import Any

import pytest

from model_endpoint import (
    ASK,
    GOOD,
    SCHEMA,
    Behaviour,
    asked,
    client_of,
    completion,
    echoes,
    endpoint,
    raw,
    says,
    sends,
)
from retentive.contracts import Usage
from retentive.errors import ModelBadReply
from retentive.models.failures import CallBadReply, CallUnavailable
from retentive.models.replies import Prices

# -- what providers answer ---------------------------------------------------------------------------------------------
GLM = {
    "created": 1796000000,
    "id": "20261130-1",
    "model": "glm-4.6",
    "request_id": "r-1",
    "choices": [
        {
            "finish_reason": "stop",
            "index": 0,
            "message": {"content": '\n{"city": "Turin"}', "reasoning_content": "{The user} ...", "role": "assistant"},
        }
    ],
    "usage": {
        "completion_tokens": 20,
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 64},
        "total_tokens": 120,
    },
}
ANTHROPIC = completion(
    [{"type": "text", "text": '{"city": '}, {"type": "text", "text": '"Turin"}'}],
    usage={
        "input_tokens": 30,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 6,
        "output_tokens": 20,
    },
)
LLAMA_CPP = {
    "choices": [
        {"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": '{\n  "city": "Turin"\n}'}}
    ],
    "created": 1796000000,
    "model": "tiny.gguf",
    "object": "chat.completion",
    "usage": {
        "completion_tokens": 20,
        "prompt_tokens": 100,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 64},
    },
    "timings": {"cache_n": 64, "prompt_n": 36},
}
OPENAI = completion(
    '{"city": "Turin"}',
    usage={
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
)


@pytest.mark.parametrize("answer", [OPENAI, GLM, ANTHROPIC, LLAMA_CPP], ids=["openai", "glm", "anthropic", "llama.cpp"])
def test_every_provider_is_understood_and_paid(answer: Any) -> None:
    with endpoint(sends(answer)) as server:
        reply = client_of(server, prices=Prices(prompt=2.0, cached=0.5, completion=8.0)).complete(ASK, schema=SCHEMA)
    assert reply.data == GOOD
    expected = (36 * 2.0 + 64 * 0.5 + 20 * 8.0) / 1e6
    assert reply.usage == Usage(100, 20, 64, cost=pytest.approx(expected))


def test_without_prices_the_cost_is_not_known() -> None:
    with endpoint(says(GOOD)) as server:
        assert client_of(server).complete(ASK, schema=SCHEMA).usage == Usage(100, 20, 0, cost=None)


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": -5}, {"prompt_tokens": "many", "completion_tokens": True}, []])
def test_usage_that_is_not_told_is_estimated(usage: Any) -> None:
    with endpoint(says(GOOD, usage=usage)) as server:
        took = client_of(server).complete(ASK, schema=SCHEMA).usage
    assert 15 <= took.prompt_tokens <= 60
    assert 3 <= took.completion_tokens <= 20


def test_an_answer_longer_than_asked_for_is_the_asker_s_to_cut() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 4}}, "required": ["city"]}
    with endpoint(says(GOOD)) as server:
        assert client_of(server).complete(ASK, schema=schema).data == GOOD
    assert len(server.asked) == 1


# -- bad replies -------------------------------------------------------------------------------------------------------
BAD: dict[str, Behaviour] = {
    "empty": says(""),
    "null": says(None),
    "prose": says("The person lives in Turin, which lies on the Po."),
    "another schema": says({"town": "Turin"}),
    "another type": says({"city": 5}),
    "more than asked": says({"city": "Turin", "mood": "good"}),
    "a list": says("[1, 2]"),
    "echo": echoes,
    "no utf-8": raw(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "html": raw(b"<html>Sign in</html>"),
    "no choices": sends({"choices": []}),
    "nothing": raw(b""),
    "huge": raw(b'{"choices": "' + b" " * 10_000_000 + b'"}'),
    "deep": says("[" * 5_000),
    "deep body": raw(b"[" * 100_000),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_reply_is_asked_for_once_more(bad: Behaviour) -> None:
    value, requests = asked(bad, says(GOOD))
    assert value == GOOD
    assert len(requests) == 2


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_reply_that_is_bad_twice_is_an_error_that_says_what_it_took(bad: Behaviour) -> None:
    with endpoint(bad) as server, pytest.raises(CallBadReply, match="what was not asked for") as caught:
        client_of(server, prices=Prices(1, 1, 1)).complete(ASK, schema=SCHEMA)
    assert isinstance(caught.value, ModelBadReply)
    assert len(server.asked) == 2
    assert caught.value.usage.prompt_tokens > 30
    assert caught.value.usage.cost
    assert "Turin" not in str(caught.value)  # what was said may be private, and errors are kept in logs


def test_a_huge_answer_is_not_read_to_its_end() -> None:
    with endpoint(says({"city": "x" * 10_000_000})) as server, pytest.raises(ModelBadReply, match="more than 4194304"):
        client_of(server).complete(ASK, schema=SCHEMA)


def test_an_example_in_a_prompt_that_is_repeated_is_no_answer() -> None:
    example = [{"role": "system", "content": f'{ASK[0]["content"]} Such as: {{"city": "Oslo"}}'}, ASK[1]]
    with endpoint(echoes, says(GOOD)) as server:
        assert client_of(server).complete(example, schema=SCHEMA).data == GOOD


def test_the_second_time_the_model_is_told_what_was_wrong() -> None:
    _, requests = asked(says({"city": 5}), says(GOOD))
    assert "$.city is not of type string" in requests[1].body["messages"][-1]["content"]
    assert requests[1].body["messages"][-1]["content"].startswith("I live in Turin.")


def test_an_answer_that_was_cut_off_gets_more_room() -> None:
    value, requests = asked(says('{"city": "Tur', finish="length"), says(GOOD))
    assert value == GOOD
    assert [request.body["max_tokens"] for request in requests] == [1024, 2048]
    assert requests[0].body["messages"] == requests[1].body["messages"]


@pytest.mark.parametrize("finish", ["length", "stop"])
def test_part_of_an_answer_is_no_answer(finish: str) -> None:
    """It is schema-valid, and the facts would be in the part that is missing."""
    schema = {"type": "object", "properties": {"cities": {"type": "array", "items": {"type": "string"}}}}
    with endpoint(says('{"cities": ["Turin", "Ghent", "Lis', finish=finish)) as server:
        with pytest.raises(ModelBadReply, match="cut off"):
            client_of(server).complete(ASK, schema=schema)
        assert len(server.asked) == 2


def test_brackets_that_a_model_forgot_are_set() -> None:
    value, requests = asked(says('{"city": "Turin"'))
    assert (value, len(requests)) == (GOOD, 1)


def test_usage_is_of_all_replies() -> None:
    with endpoint(says({"city": 5}), says(GOOD)) as server:
        assert client_of(server).complete(ASK, schema=SCHEMA).usage == Usage(200, 40, 0)


def test_an_error_counts_the_refusals_too() -> None:
    with endpoint(says(None, refusal="No.")) as server, pytest.raises(CallUnavailable, match="refused") as caught:
        client_of(server, server).complete(ASK, schema=SCHEMA)
    assert caught.value.usage == Usage(200, 40, 0)
