"""Writers that wait for each other share one commit: none returns before it, and none pays for another's mistake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from retentive.backends.sqlite.database import Database
from retentive.config import Settings
from retentive.errors import Conflict, RetentiveError, StoreError
from retentive.memory import Memory
from retentive.sql.database import Connection, fetch, put_setting, setting

WRITERS = 12


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(str(tmp_path / "memory.db"), durable=False)
    yield opened
    opened.close()


def hook(database: Database, on_commit: Callable[[], bool]) -> None:
    """Have every commit call this; True turns it into a rollback, as a full disk does."""
    with database.write() as connection:
        connection.set_commit_hook(on_commit)


def at_once(database: Database, body: Callable[[Connection, int], None]) -> dict[int, BaseException]:
    """Writers that all wait while somebody else writes; what each raised, by its number."""
    raised: dict[int, BaseException] = {}

    def write(number: int) -> None:
        try:
            with database.write(shared=True) as connection:
                body(connection, number)
            with database.read() as connection:
                assert setting(connection, f"of {number}") == "here"
        except BaseException as error:  # noqa: BLE001  for the test to look at
            raised[number] = error

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    with database.write():
        for thread in threads:
            thread.start()
        while database._turns._waiting < WRITERS:  # noqa: SLF001  there is no other way to know that they wait
            assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()
    return raised


def put(connection: Connection, number: int) -> None:
    put_setting(connection, f"of {number}", "here")


def there(database: Database) -> set[int]:
    with database.read() as connection:
        return {int(name[3:]) for (name,) in fetch(connection, "SELECT name FROM setting WHERE name LIKE 'of %'")}


def test_who_waits_shares_a_commit_and_sees_it_done(database: Database) -> None:
    commits: list[int] = []
    hook(database, lambda: bool(commits.append(1)))
    commits.clear()
    assert at_once(database, put) == {}
    assert there(database) == set(range(WRITERS))
    assert len(commits) <= 1 + WRITERS // 2  # the one they waited for, and theirs


def test_a_part_that_fails_takes_back_its_own_and_no_other(database: Database) -> None:
    def some_fail(connection: Connection, number: int) -> None:
        put(connection, number)
        if number % 3 == 0:
            raise ZeroDivisionError
        if number % 3 == 1:
            connection.execute("INSERT INTO setting VALUES (?, 'twice')", (f"of {number}",))

    raised = at_once(database, some_fail)
    assert {number: type(error) for number, error in raised.items()} == {
        number: ZeroDivisionError if number % 3 == 0 else Conflict for number in range(WRITERS) if number % 3 != 2
    }
    assert there(database) == set(range(2, WRITERS, 3))


def test_a_commit_that_fails_is_acknowledged_to_nobody(database: Database) -> None:
    failing = threading.Event()
    hook(database, failing.is_set)

    def fail_from_now_on(connection: Connection, number: int) -> None:
        put(connection, number)
        failing.set()

    raised = at_once(database, fail_from_now_on)
    assert raised.keys() == set(range(WRITERS))
    assert all(isinstance(error, RetentiveError) for error in raised.values())
    assert there(database) == set()
    failing.clear()
    with database.write(shared=True) as connection:  # and the next one writes as ever
        put(connection, 0)
    assert there(database) == {0}


def test_when_the_engine_gives_up_a_transaction_nobody_in_it_is_acknowledged(database: Database) -> None:
    """As SQLite may on a full disk: it rolls back everything by itself."""

    def last_gives_up(connection: Connection, number: int) -> None:
        put(connection, number)
        if database._turns._waiting == 0:  # noqa: SLF001  the last part of a transaction
            connection.execute("ROLLBACK")
            raise apsw.FullError

    raised = at_once(database, last_gives_up)
    assert set(range(WRITERS)) == there(database) | raised.keys()
    assert not there(database) & raised.keys()
    assert len(raised) > 1


def test_who_goes_on_behind_a_rollback_of_the_engine_is_not_acknowledged(database: Database) -> None:
    def some_are_rolled_back(connection: Connection, number: int) -> None:
        put(connection, number)
        if number % 4 == 1 or database._turns._waiting == WRITERS - 1:  # noqa: SLF001  the first one, and some later
            connection.execute("ROLLBACK")

    raised = at_once(database, some_are_rolled_back)
    assert set(range(WRITERS)) == there(database) | raised.keys()
    assert not there(database) & raised.keys()


@pytest.mark.parametrize("number", [1, WRITERS])
def test_of_a_part_that_is_interrupted_again_while_it_is_taken_back_nothing_stays(
    database: Database, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As by somebody who presses Ctrl-C twice. `number`: which of those who wait, by their turn."""
    turns, came = database._turns, []  # noqa: SLF001  an interrupt at a given place has no other way in
    take_back = turns._take_back  # noqa: SLF001

    def again(*_: object) -> None:
        monkeypatch.setattr(turns, "_take_back", take_back)
        raise KeyboardInterrupt

    def one_is_interrupted(connection: Connection, which: int) -> None:
        put(connection, which)
        came.append(which)
        if len(came) == number:
            monkeypatch.setattr(turns, "_take_back", again)
            raise KeyboardInterrupt

    raised = at_once(database, one_is_interrupted)
    assert isinstance(raised[came[number - 1]], KeyboardInterrupt)
    assert set(range(WRITERS)) == there(database) | raised.keys()
    assert not there(database) & raised.keys()
    with database.write() as connection:  # and the next one writes as ever
        put(connection, WRITERS)
    assert WRITERS in there(database)


def test_what_an_interrupted_writer_left_open_is_no_part_of_the_next_ones(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    def write() -> None:
        with database.write() as connection:
            put(connection, 1)
            monkeypatch.setattr(database._turns, "_leave", interrupted)  # noqa: SLF001  as above
            raise ZeroDivisionError

    with pytest.raises(KeyboardInterrupt):
        write()
    assert database.checkpoint()
    with database.write() as connection:
        put(connection, 2)
    assert there(database) == {2}


def test_nobody_waits_for_one_who_went_away(database: Database) -> None:
    database._turns._waiting += 1  # noqa: SLF001  as one that was interrupted while it waited
    with database.write(shared=True) as connection:
        put(connection, 1)
    assert there(database) == {1}


def test_a_write_inside_a_write_is_refused_and_changes_nothing(database: Database) -> None:
    def write_again(connection: Connection) -> None:
        put(connection, 1)
        with database.write(shared=True):
            pass

    with pytest.raises(StoreError, match="inside a write"), database.write(shared=True) as connection:
        write_again(connection)
    assert there(database) == set()


def test_derived_writes_together_are_one_commit(database: Database) -> None:
    commits: list[int] = []
    hook(database, lambda: bool(commits.append(1)))
    commits.clear()
    with database.together():
        for number in range(3):
            with database.together(), database.write(derived=True) as connection:
                put(connection, number)
        assert there(database) == set()
    assert (there(database), len(commits)) == ({0, 1, 2}, 1)


def test_derived_writes_together_fail_together(database: Database) -> None:
    def second_fails() -> None:
        with database.together():
            with database.write(derived=True) as connection:
                put(connection, 0)
            with database.write(derived=True) as connection:
                connection.execute("INSERT INTO setting VALUES ('of 0', 'twice')")

    with pytest.raises(Conflict):
        second_fails()
    assert there(database) == set()
    with database.write(derived=True) as connection:  # and the next one writes alone
        put(connection, 1)
    assert there(database) == {1}


def test_what_must_reach_the_disk_is_no_part_of_derived_writes(database: Database) -> None:
    with database.together(), database.write(shared=True) as connection:
        put(connection, 0)
    assert there(database) == {0}

    def derived_first() -> None:
        with database.together():
            with database.write(derived=True) as connection:
                put(connection, 1)
            with database.write(shared=True) as connection:
                put(connection, 2)

    with pytest.raises(StoreError, match="inside a write"):
        derived_first()
    assert there(database) == {0}


def test_a_message_recorded_alone_touches_few_pages(tmp_path: Path) -> None:
    log, frame_bytes = tmp_path / "one.db-wal", 4096 + 24
    settings = Settings(extractor="none", embedder="none")
    with Memory.open(tmp_path / "one.db", settings=settings, background=False) as memory:
        mine = memory.scope("alice")
        mine.record([{"content": "Where did I leave the keys?"}], "s")
        memory.process()
        before = log.stat().st_size
        mine.record([{"content": "They were under the blue hat."}], "s")
        assert (log.stat().st_size - before) / frame_bytes <= 11


@pytest.mark.parametrize(("kilobytes", "in_background"), [(2800, True), (4800, False)])
def test_a_long_log_is_folded_in_the_background_and_a_longer_one_by_who_writes(
    database: Database, kilobytes: int, in_background: bool
) -> None:
    def pages_of_a_commit() -> int:
        with database.write() as connection:
            put(connection, 0)
        return database._log_pages  # noqa: SLF001  what the log is as long as

    with database.write() as connection:
        connection.executemany("INSERT INTO setting VALUES (?, ?)", [(f"{n}", "x" * 900) for n in range(kilobytes)])
    if in_background:
        assert pages_of_a_commit() > 700
        database.fold()
    assert pages_of_a_commit() < 100
