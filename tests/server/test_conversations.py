"""A chat without a name goes on with its own conversation and no other's, whoever began one with the same words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chat_server import serving
from gateways import client, gateway, whole
from retentive import Memory
from retentive.clock import simulated

HELLO = {"role": "user", "content": "Good morning, what is on today?"}
_HOUR_US = 3_600_000_000


class Clock:
    """The time, as a test sets it."""

    now_us = 1_796_032_800_000_000

    def pass_hours(self, hours: int) -> None:
        self.now_us += hours * _HOUR_US


@contextmanager
def answering(tmp_path: Path, *answers: str) -> Iterator[tuple[Memory, str, Clock]]:
    clock = Clock()
    with (
        simulated(lambda: clock.now_us),
        serving(*map(whole, answers)) as model,
        gateway(tmp_path, model.url) as (memory, url),
    ):
        yield memory, url, clock


def say(url: str, *messages: dict[str, str], key: str = "none", **more: Any) -> str:
    """The id of the session that a request became part of."""
    with client(url, key, **more) as chat:
        answer = chat.chat.completions.with_raw_response.create(model="tiny", messages=list(messages))  # type: ignore[arg-type]
        return answer.headers["x-session-id"]


def told(memory: Memory, session: str, user: str = "alice") -> list[str]:
    return [item.text for item in memory.scope(user_id=user).session_messages(session)]


def test_users_keys_agents_and_projects_with_the_same_opening_share_no_conversation(tmp_path: Path) -> None:
    with answering(tmp_path, "A dentist.") as (memory, url, _):
        one, other = (memory.keys.create(name, rights=["read", "write"]).text for name in ("one", "other"))
        scopes = [{"user_id": "alice"}, {"user_id": "bob"}, {"user_id": "alice", "project_id": "p"},
                  {"user_id": "alice", "agent_id": "a"}]  # fmt: skip
        for key in (one, other):
            for scope in scopes:
                say(url, HELLO, key=key, default_query=scope)
        for user, count in (("alice", 6), ("bob", 2)):
            sessions = memory.scope(user_id=user).sessions()
            assert [session.message_count for session in sessions] == [2] * count
        assert len({session.id for session in memory.scope(user_id="alice").sessions()}) == 2  # one a key


def test_the_same_opening_on_another_day_is_another_conversation(tmp_path: Path) -> None:
    with answering(tmp_path, "A dentist.", "Nothing.", "At nine.", "Really nothing.") as (memory, url, clock):
        monday = say(url, HELLO)
        clock.pass_hours(24)
        tuesday = say(url, HELLO)
        assert monday != tuesday
        assert told(memory, tuesday) == [HELLO["content"], "Nothing."]  # said again, so recorded again
        more = [{"role": "assistant", "content": "A dentist."}, {"role": "user", "content": "When?"}]
        assert say(url, HELLO, *more) == monday  # gone on with, later
        assert told(memory, monday) == [HELLO["content"], "A dentist.", "When?", "At nine."]
        more = [{"role": "assistant", "content": "Nothing."}, {"role": "user", "content": "Really?"}]
        assert say(url, HELLO, *more) == tuesday
        assert told(memory, tuesday) == [HELLO["content"], "Nothing.", "Really?", "Really nothing."]


def test_a_request_that_is_sent_again_is_one_turn(tmp_path: Path) -> None:
    with answering(tmp_path, "A dentist.") as (memory, url, _):
        assert len({say(url, HELLO) for _ in range(3)}) == 1
        assert told(memory, memory.scope(user_id="alice").sessions()[0].id) == [HELLO["content"], "A dentist."]


def test_a_new_chat_with_the_same_words_is_another_one_once_the_first_has_gone_on(tmp_path: Path) -> None:
    with answering(tmp_path, "A dentist.", "At nine.", "A dentist.") as (memory, url, clock):
        first = say(url, HELLO)
        assert first == say(
            url, HELLO, {"role": "assistant", "content": "A dentist."}, {"role": "user", "content": "When?"}
        )
        clock.pass_hours(0)
        clock.now_us += 60_000_000
        second = say(url, HELLO)
        assert second != first
        assert told(memory, second) == [HELLO["content"], "A dentist."]


def test_no_id_is_made_from_a_secret_that_was_said(tmp_path: Path) -> None:
    with answering(tmp_path, "Noted.") as (memory, url, _):
        for password in ("QuietHarbor5527", "LoudHarbor1188"):  # nobody can tell by the ids which of them it was
            say(url, {"role": "user", "content": f"my password is {password}"})
        mine = memory.scope(user_id="alice")
        (session,) = mine.sessions()
        assert told(memory, session.id) == ["my password is [REDACTED:password]", "Noted."]
