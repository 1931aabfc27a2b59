"""JSON out of what models say: what can be mended is, what was cut off is left out, and nothing is made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retentive.models.repair import LONGEST_MENDED, NoValue, find_value
from retentive.models.schema import first_problem, is_strict

VALUE = {"facts": [{"text": "Likes {tea} and [bread]", "sure": 0.9}, {"text": 'Says "hi"', "sure": 1}], "none": None}
TEXT = json.dumps(VALUE)


@pytest.mark.parametrize(
    "said",
    [
        TEXT,
        f"\ufeff  {TEXT}\n",
        json.dumps(VALUE, indent=4),
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"Sure! Here you are:\n\n```JSON\n{TEXT}\n```\nShall I go on?",
        f"```json\n{TEXT}",
        f"Here is the JSON you wanted: {TEXT} I hope that helps!",
        f"I found [two] facts {{see below}}:\n{TEXT}",
        f'<think>Maybe {{"facts": []}}? No.</think>\n{TEXT}',
        TEXT.replace("}]", ",}, ]").replace("null", "null,"),
        TEXT.replace("null", "None"),
        str(VALUE),
        "{facts: " + TEXT[len('{"facts": ') :],
        TEXT.replace('"text"', "'text'"),
    ],
)
def test_what_stands_there_is_found_whole(said: str) -> None:
    found = find_value(said, lambda value: isinstance(value, dict) and "none" in value)
    assert (found.value, found.cut) == (VALUE, False)


@pytest.mark.parametrize(
    ("said", "value", "lost"),
    [
        ('{"a": ["tea", "rye bread"], "b": {"c": 1', {"a": ["tea", "rye bread"], "b": {}}, True),
        ('{"a": ["tea", "rye bre', {"a": ["tea"]}, True),
        ('{"a": [{"t": "x", "n": 1}, {"t": "y", "n": 2', {"a": [{"t": "x", "n": 1}]}, True),
        ('{"a": [{"t": "x", "n": 1}, {"t": "y"', {"a": [{"t": "x", "n": 1}, {"t": "y"}]}, False),
        ('{"a": [{"t": "x"}], "b": true', {"a": [{"t": "x"}], "b": True}, False),
        ('{"a": 0.9', {}, True),
        ('{"a": 0.9e', {}, True),
        ('{"a": 0.9,', {"a": 0.9}, False),
        ('{"a": "x", "b": tru', {"a": "x"}, True),
        ('{"a": "x", "b', {"a": "x"}, True),
        ('{"a": "x", "b":', {"a": "x"}, True),
        ('{"a": "x\\', {}, True),
        ('{"a": "x", "b": "\\ud83d', {"a": "x"}, True),
        ('```json\n{"a": [1, 2', {"a": [1]}, True),
        ('{"a": [[1], [2', {"a": [[1]]}, True),
        ("[", [], False),
    ],
)
def test_what_was_cut_off_is_left_out(said: str, value: Any, lost: bool) -> None:
    found = find_value(said)
    assert (found.value, found.cut, found.lost) == (value, True, lost)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I am sorry, I cannot help with that.",
        "{not json} [neither]",
        '<think>It could be {"facts": []}, but',
        "{{{{",
        "[" * 5_000,
        '{"a": NaN}',
        '{"a": "he said "hi" to me"}',
        "x" * LONGEST_MENDED + "{'a': 1}",
        "9" * 5_000,
        "[" + "9" * 5_000 + "]",
        "```json\n```",
    ],
)
def test_where_there_is_none_none_is_made_up(said: str) -> None:
    with pytest.raises(NoValue):
        find_value(said, lambda value: isinstance(value, dict) and bool(value))


def test_the_first_value_that_is_wanted_is_taken() -> None:
    said = 'For example {"a": 1}. So: {"facts": ["x"]}, not {"facts": ["y"]}.'
    assert find_value(said, lambda value: "facts" in value).value == {"facts": ["x"]}
    with pytest.raises(NoValue, match="fits"):
        find_value(said, lambda value: "nothing" in value)


def test_half_a_character_is_not_let_in() -> None:
    assert find_value(r'{"a": "\ud83d", "b": "\ud83d\ude00"}').value == {"a": "\ufffd", "b": "😀"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=4)


@given(OBJECTS, st.booleans())
def test_any_object_is_found_in_prose_and_fences(value: Any, fenced: bool) -> None:
    text = json.dumps(value, ensure_ascii=False)
    said = f"Well:\n```json\n{text}\n```\nDone." if fenced else f"Well: {text}"
    assert find_value(said).value == value


@given(OBJECTS, st.floats(0, 1))
def test_of_an_object_cut_anywhere_only_what_was_there_is_kept(value: Any, share: float) -> None:
    text = json.dumps(value, ensure_ascii=False)
    kept = text[: max(1, int(len(text) * share))]
    found = find_value(kept)
    assert is_part(found.value, value)
    assert found.cut == (kept != text)


def is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and is_part(value, whole[name]) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_part, part, whole))
    return bool(part == whole)


@given(st.text(alphabet=st.sampled_from("{}[]\"':,\\ut019ea.-` \n"), max_size=200))
def test_no_text_does_harm(said: str) -> None:
    try:
        json.dumps(find_value(said).value, ensure_ascii=False).encode()
    except NoValue:
        return


# -- the schema --------------------------------------------------------------------------------------------------------
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": ["string", "null"], "enum": ["Ana", "Bo", None]},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        "sure": {"type": "boolean"},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"name": "Ana", "share": 1, "count": 3, "tags": ["a"], "sure": True}, None),
        ({"name": None, "share": 0.5}, None),
        ({}, "$.name is missing"),
        ([], "$ is not of type object"),
        ({"name": "Cy"}, "$.name is not one of Ana, Bo, null"),
        ({"name": 3}, "$.name is not of type string or null"),
        ({"name": "Ana", "share": 1.5}, "$.share is not within 0 and 1"),
        ({"name": "Ana", "share": float("inf")}, "$.share is not of type number"),
        ({"name": "Ana", "share": True}, "$.share is not of type number"),
        ({"name": "Ana", "count": 1.5}, "$.count is not of type integer"),
        ({"name": "Ana", "tags": []}, "$.tags has 0 items"),
        ({"name": "Ana", "tags": ["a", 2]}, "$.tags[1] is not of type string"),
        ({"name": "Ana", "sure": 1}, "$.sure is not of type boolean"),
        ({"name": "Ana", "secret": "x"}, "$ has properties that were not asked for"),
    ],
)
def test_a_value_is_held_to_its_schema(value: Any, problem: str | None) -> None:
    assert first_problem(value, SCHEMA) == problem


def test_a_schema_is_strict_when_it_is_closed_and_all_is_required() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert is_strict({"type": "array", "items": closed})
    assert not is_strict(closed | {"required": []})
    assert not is_strict({"type": "array", "items": {"type": "object"}})
    assert not is_strict(closed | {"properties": {"a": SCHEMA}})
