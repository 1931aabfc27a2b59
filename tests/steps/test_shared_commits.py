"""Writers that wait for each other share one commit: none returns before it, and none pays for another's mistake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from retentive.backends.sqlite.database import Database
from retentive.errors import Conflict, RetentiveError, StoreError
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
