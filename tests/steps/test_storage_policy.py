"""What has no place in the log is skipped with its reason; everything else is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from retentive import Memory, ScopedMemory, Settings
from retentive.errors import ConfigError
from retentive.policy import StoragePolicy
from retentive.types import Episode


def outcomes(mine: ScopedMemory, *messages: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(item.outcome, item.reason) for item in mine.record(messages, "s1").items]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "HEARTBEAT_OK"},
        {"role": "user", "content": "ping"},
        {"role": "user", "content": "Read HEARTBEAT.md if it exists and follow it"},
        {"role": "system", "content": "System boot complete, agent ready"},
        {"role": "tool", "content": "Gateway restarted at 12:00"},
        {"role": "system", "content": "anything at all", "type": "heartbeat"},
    ],
)
def test_signs_of_life_are_skipped_and_the_receipt_says_so(mine: ScopedMemory, message: dict[str, Any]) -> None:
    kept = {"role": "user", "content": "I moved to Ghent"}
    assert outcomes(mine, message, kept) == [("skipped", "a sign of life, not a message"), ("stored", None)]
    assert [item.text for item in mine.session_messages("s1")] == ["I moved to Ghent"]


@pytest.mark.parametrize(
    "text",
    [
        "Service is ready for pickup tomorrow",
        "ping me when we land",
        "my heartbeat at 12:00 was 61",
        "Session started late because of the trains",
        "ok",
        "ack, the invoice came",
    ],
)
def test_what_a_person_says_is_kept(mine: ScopedMemory, text: str) -> None:
    assert outcomes(mine, {"role": "user", "content": text}) == [("stored", None)]


def test_types_roles_and_sizes_are_skipped_as_the_setting_says() -> None:
    settings = Settings(retention=("type:telemetry=skip", "source:tool=skip", "max_chars=20", "type:ping=keep"))
    with Memory.open(":memory:", settings=settings, background=False) as memory:
        mine = memory.scope(user_id="alice")
        assert outcomes(
            mine,
            {"role": "system", "content": "cpu 4 %", "type": "telemetry"},
            {"role": "tool", "content": "42"},
            {"role": "user", "content": "I am twenty-one long."},
            {"role": "user", "content": "I'm exactly twenty!!"},
            {"role": "system", "content": "ping", "type": "ping"},
        ) == [
            ("skipped", "type telemetry is not stored"),
            ("skipped", "source tool is not stored"),
            ("skipped", "longer than 20 characters"),
            ("stored", None),
            ("stored", None),
        ]


@pytest.mark.parametrize("entry", ["episodes=skip", "category:event=skip", "audit=skip", "max_chars=0", "type:=skip"])
def test_what_cannot_be_skipped_stops_the_start(entry: str) -> None:
    with pytest.raises(ConfigError, match="RETENTIVE_RETENTION"):
        Memory.open(":memory:", settings=Settings(retention=(entry,)), background=False)


def test_the_answer_for_an_event_is_always_the_same() -> None:
    policy: Callable[[Episode], str | None] = StoragePolicy().skip_reason
    episode = Episode("1", "ping", 0, 0)
    assert {policy(episode) for _ in range(10)} == {"a sign of life, not a message"}
