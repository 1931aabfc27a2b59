"""How an endpoint is found to want to be asked, and that it is asked so from then on."""

from __future__ import annotations

from typing import Any

import pytest

from model_endpoint import (
    ASK,
    GOOD,
    SCHEMA,
    Behaviour,
    calls_tool,
    client_of,
    endpoint,
    refuses,
    says,
    takes,
)
from retentive.errors import ModelBadReply, ModelUnavailable
from retentive.models.ladder import Ladder, Rung

WORDS = "Turin, I would say."
NO_FORMAT = refuses(400, "This model does not support response_format of this type")
NO_TOOLS = refuses(404, "No endpoints found that support tool use")


def ways(behaviour: Behaviour, calls: int = 3, **options: Any) -> list[list[str]]:
    """The ways in which each of several calls was asked; all of them must be answered well."""
    found: list[list[str]] = []
    with endpoint(behaviour) as server:
        client = client_of(server, **options)
        for _ in range(calls):
            before = len(server.asked)
            assert client.complete(ASK, schema=SCHEMA).data == GOOD
            found.append([request.way for request in server.asked[before:]])
    return found


# -- what is refused ---------------------------------------------------------------------------------------------------
def test_a_way_that_is_refused_is_not_tried_again() -> None:
    assert ways(takes({"tool": calls_tool('{"city": "Turin"}')}, NO_FORMAT)) == [
        ["json_schema", "tool"],
        ["tool"],
        ["tool"],
    ]


def test_arguments_of_a_tool_may_come_as_an_object() -> None:
    assert ways(takes({"tool": calls_tool(GOOD)}, NO_FORMAT), calls=1) == [["json_schema", "tool"]]


def test_json_object_is_next_and_says_the_schema_twice() -> None:
    with endpoint(takes({"json_object": says(GOOD), "tool": NO_TOOLS}, NO_FORMAT)) as server:
        assert client_of(server).complete(ASK, schema=SCHEMA).data == GOOD
        body = server.asked[-1].body
    assert [request.way for request in server.asked] == ["json_schema", "tool", "json_object"]
    assert body["response_format"] == {"type": "json_object", "schema": SCHEMA}  # llama.cpp's servers keep to it
    assert '"required": ["city"]' in body["messages"][0]["content"]  # and those that ignore it are told in words


def test_words_are_the_last_way() -> None:
    assert ways(takes({"prompt": says(GOOD), "tool": NO_TOOLS}, NO_FORMAT)) == [
        ["json_schema", "tool", "json_object", "prompt"],
        ["prompt"],
        ["prompt"],
    ]


def test_a_server_that_answers_500_to_a_schema_is_found_out() -> None:
    """As llama-cpp-python's does: believed the second time, for a 500 may pass."""
    behaviour = takes({"json_object": says(GOOD), "tool": says(WORDS)}, refuses(500, "Internal Server Error"))
    assert ways(behaviour, calls=4)[-1] == ["json_object"]


def test_a_500_that_passes_leaves_the_best_way_as_it_is() -> None:
    with endpoint(refuses(500), calls_tool(GOOD), says(GOOD)) as server:
        client = client_of(server)
        for _ in range(3):
            assert client.complete(ASK, schema=SCHEMA).data == GOOD
    assert [request.way for request in server.asked] == ["json_schema", "tool", "json_schema", "json_schema"]


def test_a_500_of_a_way_that_has_worked_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retentive.models.http.time.sleep", lambda _: None)
    with endpoint(says(GOOD), refuses(500)) as server:
        client = client_of(server)
        client.complete(ASK, schema=SCHEMA)
        with pytest.raises(ModelUnavailable, match="500"):
            client.complete(ASK, schema=SCHEMA)
    assert [request.way for request in server.asked] == ["json_schema"] * 4


def test_a_way_that_is_ignored_is_left() -> None:
    """As servers do that read no more of a request than they know."""
    behaviour = takes({"json_object": says(GOOD)}, says(WORDS))
    with endpoint(behaviour) as server:
        client = client_of(server)
        answers: list[Any] = []
        for _ in range(4):
            try:
                answers.append(client.complete(ASK, schema=SCHEMA).data)
            except ModelBadReply:
                answers.append("bad")
    assert answers == ["bad", "bad", GOOD, GOOD]
    assert [request.way for request in server.asked][-2:] == ["json_object"] * 2


# -- what is left out --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("message", "refused", "instead"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", None),
        ("Unrecognized request argument supplied: prompt_cache_key", "prompt_cache_key", None),
    ],
)
def test_a_parameter_that_is_not_known_is_left_out_from_then_on(
    message: str, refused: str, instead: str | None
) -> None:
    def behaviour(handler: Any, body: dict[str, Any]) -> None:
        (refuses(400, message) if refused in body else says(GOOD))(handler, body)

    with endpoint(behaviour) as server:
        client = client_of(server, cache="prompt_cache_key")
        for _ in range(2):
            assert client.complete(ASK, schema=SCHEMA, max_tokens=50).data == GOOD
    assert [refused in request.body for request in server.asked] == [True, False, False]
    assert {request.way for request in server.asked} == {"json_schema"}
    assert instead is None or server.asked[-1].body[instead] == 50


def test_a_decoder_that_knows_no_lengths_is_given_none() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 20}}, "required": ["city"]}

    def behaviour(handler: Any, body: dict[str, Any]) -> None:
        message = "Invalid schema for response_format 'answer': In context=(), 'maxLength' is not permitted."
        (refuses(400, message) if "maxLength" in str(body) else says(GOOD))(handler, body)

    with endpoint(behaviour) as server:
        client = client_of(server)
        for _ in range(2):
            assert client.complete(ASK, schema=schema).data == GOOD
    assert [request.way for request in server.asked] == ["json_schema"] * 3
    assert "maxLength" in str(server.asked[0].body)


def test_a_json_object_is_asked_for_without_a_schema_where_that_is_refused() -> None:
    def behaviour(handler: Any, body: dict[str, Any]) -> None:
        known = "schema" not in body["response_format"]
        (says(GOOD) if known else refuses(400, "Unknown parameter: 'response_format.schema'."))(handler, body)

    with endpoint(behaviour) as server:
        assert client_of(server, rungs=(Rung.JSON_OBJECT,)).complete(ASK, schema=SCHEMA).data == GOOD
    assert [request.body["response_format"] for request in server.asked] == [
        {"type": "json_object", "schema": SCHEMA},
        {"type": "json_object"},
    ]


@pytest.mark.parametrize(
    "trouble",
    [
        refuses(400, "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"),
        refuses(400, "Your request was rejected by our content management policy", code="content_filter"),
        refuses(400, "系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301"),
        refuses(401, "Incorrect API key"),
        refuses(403, "This tool is not yours"),
        refuses(404, "The model does not exist"),
    ],
)
def test_what_no_other_way_would_help_is_asked_once(trouble: Behaviour) -> None:
    with endpoint(trouble) as server, pytest.raises(ModelUnavailable):
        client_of(server).complete(ASK, schema=SCHEMA)
    assert len(server.asked) == 1


# -- what is known of hosts --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("host", ["open.bigmodel.cn", "api.z.ai"])
def test_glm_is_asked_for_a_json_object_at_once(host: str) -> None:
    ladder = Ladder(host)
    body = ladder.body(ladder.top(), "glm-4.6", ASK, SCHEMA, 100)
    assert body["response_format"] == {"type": "json_object"}
    assert '"city"' in body["messages"][0]["content"]
    assert ladder.below(ladder.top()) is Rung.PROMPT


def test_anthropic_and_openai_are_told_what_to_cache() -> None:
    anthropic, openai = Ladder("api.anthropic.com"), Ladder("api.openai.com")
    assert anthropic.top() is Rung.TOOL
    content = anthropic.body(anthropic.top(), "m", ASK, SCHEMA, 100)["messages"][0]["content"]
    assert content[0]["cache_control"] == {"type": "ephemeral"}
    assert "prompt_cache_key" in openai.body(openai.top(), "m", ASK, SCHEMA, 100)
    assert "prompt_cache_key" not in Ladder("example.com").body(Rung.TOOL, "m", ASK, SCHEMA, 100)


def test_a_schema_has_its_place_where_there_is_no_system_message() -> None:
    messages = Ladder("example.com").body(Rung.PROMPT, "m", ASK[1:], SCHEMA, 100)["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[1] == ASK[1]
