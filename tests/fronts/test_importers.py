"""Importing conversations: what is taken, what is counted and passed over, and that a second time adds nothing."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory, ScopedMemory
from retentive.errors import ImportFailed
from retentive.importers import ImportReport, conversations_of, import_file, kind_of
from retentive.importers.reading import records
from retentive.importers.report import moment

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, value: Any) -> Path:
        path = tmp_path / name
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def texts(mine: ScopedMemory, session_id: str) -> list[tuple[str | None, str]]:
    return [(item.role, item.text) for item in mine.session_messages(session_id)]


def take(memory: Memory, path: Path, format_: str = "auto", user: str | None = None) -> ImportReport:
    return import_file(path, lambda named: memory.scope(user_id=user or named or "alice"), format_=format_)


# -- a ChatGPT export --------------------------------------------------------------------------------------------------
def node(key: str, parent: str | None, role: str = "user", text: str | None = None, **more: Any) -> dict[str, Any]:
    message = None
    if text is not None:
        content = more.pop("content", {"content_type": "text", "parts": [text]})
        message = {"id": f"id-{key}", "author": {"role": role}, "create_time": 1772434800.25, "content": content} | more
    return {"id": key, "parent": parent, "children": [], "message": message}


def chatgpt(*nodes: dict[str, Any], current: str | None, key: str = "conv-1") -> dict[str, Any]:
    mapping = {one["id"]: one for one in nodes}
    return {
        "conversation_id": key,
        "title": "t",
        "create_time": 1772434700,
        "mapping": mapping,
        "current_node": current,
    }


def branching() -> dict[str, Any]:
    return chatgpt(
        node("root", None),
        node("system", "root", "system", ""),
        node("hidden", "system", "system", "be nice", metadata={"is_visually_hidden_from_conversation": True}),
        node("ask", "hidden", "user", "Which tea?"),
        node("first", "ask", "assistant", "Earl Grey."),
        node("again", "ask", "assistant", "Assam.", create_time=1772434860),
        node("thanks", "again", "user", "Thanks!", create_time=None),
        current="thanks",
    )


def test_chatgpt_follows_the_current_branch_and_counts_the_others(memory: Memory, write: Write) -> None:
    report = take(memory, write("conversations.json", [branching()]))
    mine = memory.scope(user_id="alice")
    assert texts(mine, "conv-1") == [("user", "Which tea?"), ("assistant", "Assam."), ("user", "Thanks!")]
    assert (report.format, report.conversations, report.imported) == ("chatgpt", 1, 3)
    assert report.skipped == {"on other branches": 1, "hidden": 1, "empty": 1}
    assert not report.broken


def test_chatgpt_keeps_times_in_utc_and_the_message_ids(memory: Memory, write: Write) -> None:
    take(memory, write("conversations.json", [branching()]))
    first, second, third = memory.scope(user_id="alice").session_messages("conv-1")
    assert (first.timestamp, first.source_ids) == ("2026-03-02T07:00:00.250000Z", ("id-ask",))
    assert third.timestamp == second.timestamp == "2026-03-02T07:01:00Z"  # without a time: as the one before


def test_chatgpt_flattens_parts_and_skips_what_nobody_said(memory: Memory, write: Write) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    export = chatgpt(
        node("a", None, text="x", content={"content_type": "multimodal_text", "parts": [picture, "What is this?"]}),
        node("b", "a", "assistant", "x", content={"content_type": "thoughts", "thoughts": []}),
        node("c", "b", "assistant", "x", content={"content_type": "code", "language": "python", "text": "print(1)"}),
        node(
            "d", "c", "tool", "x", author={"role": "tool", "name": "python"}, content={"content_type": "x", "text": "1"}
        ),
        node("e", "d", text="x", content={"content_type": "multimodal_text", "parts": [picture]}),
        current="e",
    )
    report = take(memory, write("conversations.json", [export]))
    mine = memory.scope(user_id="alice")
    assert texts(mine, "conv-1") == [("user", "What is this?"), ("assistant", "print(1)"), ("tool", "1")]
    messages = mine.session_messages("conv-1")
    assert messages[0].metadata == {"parts": ["image_asset_pointer"]}
    assert (messages[2].name, messages[2].trust) == ("python", "untrusted")
    assert sum(report.skipped.values()) == 2


def test_chatgpt_without_a_current_node_takes_the_newest_leaf(memory: Memory, write: Write) -> None:
    export = branching()
    del export["current_node"]
    export["mapping"]["thanks"]["message"]["create_time"] = 1772434900
    take(memory, write("conversations.json", [export]))
    assert texts(memory.scope(user_id="alice"), "conv-1")[1] == ("assistant", "Assam.")


def test_chatgpt_passes_over_whatever_is_broken(memory: Memory, write: Write) -> None:
    circle = chatgpt(node("a", "b", text="x"), node("b", "a", text="y"), current="a", key="circle")
    odd = chatgpt(
        node("a", None, text="fine"),
        {"id": "b", "parent": "a", "message": "no object"},
        node("c", "b", text="no author", author=None),
        node("d", "c", text="no time", create_time="yesterday"),
        node("e", "d", text="fine too\0\ud83d"),
        current="e",
        key="odd",
    )
    path = write("conversations.json", [None, 7, {"id": "x"}, {"mapping": {}}, circle, odd, branching()])
    report = take(memory, path, "chatgpt")
    assert texts(memory.scope(user_id="alice"), "odd") == [("user", "fine"), ("user", "fine too\ufffd")]
    assert report.broken.total() == 8
    assert report.imported == 5


def test_chatgpt_cut_off_in_the_middle_gives_what_came_before(memory: Memory, write: Write) -> None:
    whole = json.dumps([branching(), branching() | {"conversation_id": "conv-2"}])
    report = take(memory, write("conversations.json", whole[:-200]))
    assert (report.imported, report.broken.total()) == (3, 1)


def test_chatgpt_zip_is_read_as_it_is(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("conversations.json", json.dumps([branching()]))
    assert take(memory, path).imported == 3


# -- OpenAI messages ---------------------------------------------------------------------------------------------------
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": [{"type": "text", "text": "Weather in Oslo?"}, {"type": "image_url", "image_url": {}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call-1", "type": "function", "function": {"name": "weather", "arguments": '{"at":"Oslo"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "call-1", "content": "4 degrees"},
    {"role": "assistant", "content": "It is 4 degrees."},
]


@pytest.mark.parametrize(
    "value",
    [
        MESSAGES,
        {"messages": MESSAGES},
        [{"messages": MESSAGES}],
        "\n".join(map(json.dumps, MESSAGES)),
        json.dumps({"messages": MESSAGES}) + "\n",
        json.dumps(MESSAGES) + "\n" + json.dumps(MESSAGES[:1]) + "\n",
        json.dumps(MESSAGES, indent=2),
        "\ufeff" + json.dumps(MESSAGES),
    ],
)
def test_openai_shapes_are_all_read(memory: Memory, write: Write, value: Any) -> None:
    report = take(memory, write("log.json", value))
    assert report.format == "openai"
    mine = memory.scope(user_id="alice")
    session = max(mine.sessions(), key=lambda one: one.message_count)
    assert texts(mine, session.id) == [
        ("system", "You are helpful."),
        ("user", "Weather in Oslo?"),
        ("assistant", 'called weather({"at":"Oslo"})'),
        ("tool", "4 degrees"),
        ("assistant", "It is 4 degrees."),
    ]


def test_openai_tool_calls_and_other_parts_go_to_metadata(memory: Memory, write: Write) -> None:
    take(memory, write("log.json", {"id": "t1", "messages": MESSAGES}))
    _, asked, called, answered, _ = memory.scope(user_id="alice").session_messages("t1")
    assert asked.metadata == {"parts": ["image_url"]}
    assert called.metadata["tool_calls"] == [{"id": "call-1", "name": "weather", "arguments": '{"at":"Oslo"}'}]
    assert (answered.metadata, answered.trust) == ({"tool_call_id": "call-1"}, "untrusted")


def test_openai_conversations_that_begin_alike_stay_apart(memory: Memory, write: Write) -> None:
    two = [{"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": end}]} for end in ("a", "b")]
    assert take(memory, write("log.json", two)).imported == 4
    assert sorted(s.message_count for s in memory.scope(user_id="alice").sessions()) == [2, 2]


def test_openai_passes_over_whatever_is_broken(memory: Memory, write: Write) -> None:
    lines = [
        '{"role": "user", "content": "fine", "timestamp": "2026-03-02T09:00:00+08:00"}',
        '{"role": "user", "content": ',
        '{"content": "nobody said it"}',
        '{"role": "user", "content": ""}',
        '{"type": "reasoning", "summary": []}',
        '{"role": "user", "content": "no zone", "timestamp": "2026-03-02T09:00:00"}',
        '{"role": "user", "content": "a number", "created_at": 1772434800}',
        "7",
        json.dumps({"role": "user", "content": "x" * 1_000_001}),
    ]
    report = take(memory, write("log.jsonl", "\n".join(lines)))
    assert (report.imported, report.skipped.total(), report.broken.total()) == (2, 2, 5)
    assert any("line 2" in reason for reason in report.broken)
    found = {item.text: item.timestamp for item in memory.scope(user_id="alice").list()}
    assert found == {"fine": "2026-03-02T01:00:00Z", "a number": "2026-03-02T07:00:00Z"}


def test_a_conversation_that_grew_adds_only_what_is_new(memory: Memory, write: Write) -> None:
    take(memory, write("log.json", {"id": "t1", "messages": MESSAGES[:3]}))
    report = take(memory, write("log.json", {"id": "t1", "messages": MESSAGES}))
    assert (report.imported, report.duplicates) == (2, 3)


# -- labelled ----------------------------------------------------------------------------------------------------------
LABELLED = {
    "id": "one",
    "messages": [
        {"id": "D1:1", "session": "D1", "ts": "2023-05-08T13:56:00", "speaker": "Mel", "text": "Hey!"},
        {"id": "D2:1", "session": 2, "ts": "2023-05-09", "speaker": "assistant", "text": "Hello again."},
        {"id": "D2:2", "session": 2, "ts": None, "speaker": "user", "text": "No time."},
        {"id": "D2:3", "session": 2, "ts": "2023-05-09T10:00:00+02:00", "speaker": "user"},
    ],
    "queries": [],
}


def test_labelled_conversations_are_users_of_their_own(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(f"{json.dumps(LABELLED)}\n{json.dumps(LABELLED | {'id': 'two'})}\n{{\n".encode()))
    report = take(memory, path)
    assert (report.format, report.imported, report.broken.total()) == ("labelled", 6, 3)
    for user in ("eval-one", "eval-two"):
        (first,) = memory.scope(user_id=user).session_messages("D1")
        assert (first.role, first.name, first.source_ids) == ("user", "Mel", ("D1:1",))
        assert first.timestamp == "2023-05-08T13:56:00Z"
        assert len(memory.scope(user_id=user).session_messages("2")) == 2
    take(memory, path, user="bob")
    assert len(memory.scope(user_id="bob").session_messages("D1")) == 1


# -- all of them -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("value", [[branching()], MESSAGES, json.dumps(LABELLED) + "\n"])
def test_importing_twice_adds_nothing(memory: Memory, write: Write, value: Any) -> None:
    path = write("file.json", value)
    first, second = take(memory, path), take(memory, path)
    assert first.imported > 0
    assert (second.imported, second.duplicates) == (0, first.imported)


def test_imported_conversations_are_over(memory: Memory, write: Write) -> None:
    take(memory, write("conversations.json", [branching()]))
    memory.process()
    (session,) = memory.scope(user_id="alice").sessions()
    assert session.state == "ended"
    assert session.summary


def test_a_message_that_is_refused_does_not_take_the_others_with_it(memory: Memory, write: Write) -> None:
    messages = [{"role": "user", "content": f"line {number}"} for number in range(40)]
    messages[17]["content"] = "x" * 1_000_001
    report = take(memory, write("log.json", messages))
    assert (report.imported, report.broken.total()) == (39, 1)
    assert "1,000,001 characters" in next(iter(report.broken))
    assert len(list(report.lines())) == 3


def test_our_own_export_is_recognised(memory: Memory, tmp_path: Path) -> None:
    memory.scope(user_id="alice").remember("My bicycle is green")
    path = tmp_path / "export.jsonl"
    memory.scope(user_id="alice").export(path)
    report = take(memory, path)
    assert (report.format, report.imported, report.duplicates) == ("retentive", 0, 1)


@pytest.mark.parametrize("value", ["", "hello", "{}", "[]", "[1, 2]", '{"a": 1}', '{"messages": []}', "[" * 100_000])
def test_what_is_no_conversation_is_refused(memory: Memory, write: Write, value: str) -> None:
    with pytest.raises(ImportFailed):
        take(memory, write("file.json", value))


def test_files_that_cannot_be_read_are_refused(memory: Memory, tmp_path: Path) -> None:
    packed = gzip.compress(b"hello hello")
    broken = (b"no gzip", packed[:-4], packed[:10] + b"\xff" * 8 + packed[18:])
    for name, data in (("a.json", b"\xff\xfe\x00"), *((f"{place}.gz", data) for place, data in enumerate(broken))):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ImportFailed):
            take(memory, path)
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.json", "{}")
    with pytest.raises(ImportFailed, match=r"conversations\.json"):
        take(memory, path)


def test_generators_are_lazy() -> None:
    def endless() -> Any:
        while True:
            yield {"messages": MESSAGES, "id": "t"}

    report = ImportReport("openai")
    assert next(conversations_of("openai", endless(), report, name="x")).session_id == "t"


def test_the_format_is_found_behind_a_broken_first_record() -> None:
    assert kind_of([ValueError("broken"), {"messages": MESSAGES}]) == "openai"


def test_records_of_lines_with_separators_inside_strings() -> None:
    assert list(records('{"a": "x\u2028y"}\n{"a": "z"}')) == [{"a": "x\u2028y"}, {"a": "z"}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00Z"),
        (1772434800000, "2026-03-02T07:00:00Z"),
        (-1.5, "1969-12-31T23:59:58.500000Z"),
    ],
)
def test_moments(value: Any, expected: str | None) -> None:
    assert moment(value) == expected
