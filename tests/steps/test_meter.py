"""What model calls take is written down, and a tenant that has spent its hour is refused before anything is asked."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from retentive import Memory
from retentive.backends.sqlite.database import Database
from retentive.clock import now_us
from retentive.contracts import Model, Reply, Usage
from retentive.contracts.ledger import HOUR_US, USAGE_KEYS, Account, Carried, Spent, UsageLimits
from retentive.errors import ConfigError, LimitReached, ModelBadReply, ModelUnavailable
from retentive.models.embed_none import NoEmbedder
from retentive.models.failures import CallBadReply, CallOverLimit
from retentive.models.meter import MeteredModel
from retentive.models.replies import Prices
from retentive.sql.ledger import SqlLedger, release_partition
from retentive.types import Partition

ALICE, BOB, OTHER = (Partition(tenant, "user", name) for tenant, name in [("t", "alice"), ("t", "bob"), ("u", "alice")])
NOON_US = 497_000 * HOUR_US
MESSAGES = [{"role": "user", "content": "I live in Turin. " * 50}]
TOOK = Usage(200, 100, 60, 0.01)


class Says(Model):
    """A model whose every call takes the same."""

    def __init__(self, took: Usage = TOOK, error: Exception | None = None) -> None:
        self.name = "tiny"
        self.took, self.error = took, error
        self.calls = 0

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],  # noqa: ARG002  whatever is asked
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        max_tokens: int = 1024,  # noqa: ARG002
        timeout_s: float = 60.0,  # noqa: ARG002
    ) -> Reply:
        self.calls += 1
        if self.error is not None:
            raise self.error
        return Reply({}, "{}", self.took, self.name)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(str(tmp_path / "memory.db"))
    with opened.write() as connection:
        for partition in (ALICE, BOB, OTHER):
            connection.execute("INSERT INTO partition (tenant, kind, owner) VALUES (?, ?, ?)", partition)
    yield opened
    opened.close()


@pytest.fixture
def ledger(database: Database) -> SqlLedger:
    return SqlLedger(database)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the time; it begins at noon."""

    def set_to(us: int) -> None:
        monkeypatch.setattr("retentive.models.meter.now_us", lambda: us)

    set_to(NOON_US)
    return set_to


def account(partition: Partition = ALICE, operation: str = "extract", session_id: str | None = "s1") -> Account:
    return Account(partition, operation, session_id)


# -- what is written down ----------------------------------------------------------------------------------------------
def test_usage_is_told_apart_by_whatever_is_asked(ledger: SqlLedger, clock: Callable[[int], None]) -> None:
    model = Says()
    for who, operation, session_id in [
        (ALICE, "extract", "s1"),
        (ALICE, "extract", "s1"),
        (ALICE, "reconcile", "s1"),
        (ALICE, "extract", None),
        (BOB, "extract", "s1"),
        (OTHER, "extract", "s1"),
    ]:
        MeteredModel(model, ledger, account(who, operation, session_id)).complete(MESSAGES)
    clock(NOON_US + HOUR_US)
    MeteredModel(model, ledger, account()).complete(MESSAGES)
    assert [(line.key, line.calls) for line in ledger.usage(("session", "operation"), partition=ALICE)] == [
        ((None, "extract"), 1),
        (("s1", "extract"), 3),
        (("s1", "reconcile"), 1),
    ]
    assert [(line.key, line.calls) for line in ledger.usage(("tenant", "owner"))] == [
        (("t", "alice"), 5),
        (("t", "bob"), 1),
        (("u", "alice"), 1),
    ]
    hours = ledger.usage(("hour",), tenant="t")
    assert [(line.key, line.calls) for line in hours] == [
        (("2026-09-12T08:00:00Z",), 5),
        (("2026-09-12T09:00:00Z",), 1),
    ]
    assert ledger.usage(tenant="t", since_us=NOON_US + HOUR_US) == [Spent((), 1, 0, TOOK)]
    assert ledger.usage(tenant="t")[0].usage == Usage(1200, 600, 360, pytest.approx(0.06))
    assert ledger.usage(tenant="nobody") == []
    assert len(ledger.usage(USAGE_KEYS)) == 6


def test_the_cost_is_not_known_before_a_price_is(ledger: SqlLedger) -> None:
    MeteredModel(Says(Usage(10, 5)), ledger, account()).complete(MESSAGES)
    assert ledger.usage()[0].usage == Usage(10, 5, 0, None)
    MeteredModel(Says(Usage(10, 5)), ledger, account(), prices=Prices(100_000, 0, 0)).complete(MESSAGES)
    assert ledger.usage()[0].usage.cost == pytest.approx(1.0)


def test_a_call_that_fails_is_written_down_too(ledger: SqlLedger) -> None:
    for error in (CallBadReply("no", usage=TOOK), ModelUnavailable("gone")):
        with pytest.raises(type(error)):
            MeteredModel(Says(error=error), ledger, account(), UsageLimits(tokens=100_000)).complete(MESSAGES)
    assert ledger.usage(("model",)) == [Spent(("tiny",), 2, 2, TOOK)]
    assert ledger.reserve(account(), NOON_US, Usage(100_000), UsageLimits(tokens=100_000))  # nothing is still held


def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    for calls in (1, 2):
        database = Database(path)
        MeteredModel(Says(), SqlLedger(database), account()).complete(MESSAGES)
        assert SqlLedger(database).usage()[0].calls == calls
        database.close()


def test_of_an_erased_partition_only_the_tenants_sum_is_left(database: Database, ledger: SqlLedger) -> None:
    for who in (ALICE, BOB, OTHER):
        MeteredModel(Says(), ledger, account(who, session_id="s-private")).complete(MESSAGES)
    with database.write() as connection:
        for number in (1, 2):  # Alice's and Bob's
            release_partition(connection, number)
            connection.execute("DELETE FROM partition WHERE no = ?", (number,))
    assert [(line.key, line.calls) for line in ledger.usage(("tenant", "owner", "session"))] == [
        (("t", None, None), 2),
        (("u", "alice", "s-private"), 1),
    ]


# -- limits ------------------------------------------------------------------------------------------------------------
def spend(model: Model, calls: int) -> int:
    """How many calls ended well; the others were over the limit, or answered badly."""
    done = 0
    for _ in range(calls):
        try:
            model.complete(MESSAGES, max_tokens=100)
            done += 1
        except (LimitReached, ModelBadReply):
            continue
    return done


def test_a_thousand_batches_stop_at_the_hours_limit(ledger: SqlLedger, clock: Callable[[int], None]) -> None:
    inner = Says()
    metered = MeteredModel(inner, ledger, account(), UsageLimits(tokens=20_000))
    assert spend(metered, 1000) == inner.calls
    assert 19_000 < ledger.usage(tenant="t")[0].tokens <= 20_000
    clock(NOON_US + HOUR_US)
    assert spend(metered, 1) == 1


def test_the_money_limit_holds_as_well(ledger: SqlLedger) -> None:
    inner = Says(Usage(200, 100, 60, 0.0003))
    metered = MeteredModel(inner, ledger, account(), UsageLimits(cost=0.02), prices=Prices(1, 1, 1))
    assert spend(metered, 100) == inner.calls
    assert 0.019 < (ledger.usage()[0].usage.cost or 0) <= 0.02


def test_one_tenants_limit_is_not_anothers(ledger: SqlLedger) -> None:
    limits = UsageLimits(tokens=1_100)
    assert spend(MeteredModel(Says(), ledger, account(ALICE), limits), 5) == 1
    assert spend(MeteredModel(Says(), ledger, account(BOB), limits), 5) == 0  # of the same tenant
    assert spend(MeteredModel(Says(), ledger, account(OTHER), limits), 5) == 1


def test_who_is_refused_is_told_when_to_come_back(ledger: SqlLedger, clock: Callable[[int], None]) -> None:
    clock(NOON_US + 600_000_000)
    with pytest.raises(CallOverLimit, match="5 tokens and 1 US dollars") as caught:
        MeteredModel(Says(), ledger, account(), UsageLimits(5, 1), prices=Prices(1, 1, 1)).complete(MESSAGES)
    assert isinstance(caught.value, LimitReached)
    assert caught.value.retry_after_s == 3000
    assert ledger.usage() == []


def test_a_money_limit_without_prices_is_refused(ledger: SqlLedger) -> None:
    with pytest.raises(ConfigError, match="prices"):
        MeteredModel(Says(), ledger, account(), UsageLimits(cost=1.0))


def test_processes_that_serve_one_store_share_a_limit(tmp_path: Path) -> None:
    first, second = (Database(str(tmp_path / "memory.db"), durable=False) for _ in range(2))
    limits, most = UsageLimits(tokens=100, cost=1.0), Usage(30, 30)
    assert SqlLedger(first).reserve(account(ALICE), NOON_US, most, limits)
    assert not SqlLedger(second).reserve(account(BOB), NOON_US, most, limits)  # of the same tenant
    assert not SqlLedger(second).reserve(account(BOB), NOON_US, Usage(1, 1, cost=1.1), limits)
    SqlLedger(first).settle(account(ALICE), NOON_US, Usage(10, 10, cost=0.7), model="small", most=most)
    assert SqlLedger(second).reserve(account(BOB), NOON_US, most, limits)  # what was not taken is free again
    assert not SqlLedger(first).reserve(account(ALICE), NOON_US, Usage(1, 1, cost=0.4), limits)
    first.close()
    second.close()


def test_threads_do_not_pass_the_limit_together(ledger: SqlLedger) -> None:
    """None ends before all have come: what the others will take is not known yet."""
    arrived = threading.Barrier(16)
    model = Says()

    class Slow(Says):
        def complete(self, messages: Sequence[Mapping[str, str]], **options: Any) -> Reply:
            arrived.wait(30)
            return model.complete(messages, **options)

    def call() -> None:
        try:
            MeteredModel(Slow(), ledger, account(), UsageLimits(tokens=3_000)).complete(MESSAGES, max_tokens=100)
        except LimitReached:
            arrived.wait(30)

    threads = [threading.Thread(target=call) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 2 <= model.calls <= 10
    assert ledger.usage()[0].tokens <= 3_000


def test_what_a_process_held_when_it_died_counts_until_the_hour_is_over(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    database = Database(path)
    script = f"""
import os
from retentive.backends.sqlite.database import Database
from retentive.sql.ledger import SqlLedger
from retentive.contracts import Usage
from retentive.contracts.ledger import Account, UsageLimits
from retentive.types import Partition
account = Account(Partition("t", "user", "alice"), "extract")
assert SqlLedger(Database({path!r})).reserve(account, {NOON_US}, Usage(800), UsageLimits(tokens=1000))
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    ledger = SqlLedger(database)
    assert not ledger.reserve(account(), NOON_US, Usage(300), UsageLimits(tokens=1000))
    assert ledger.reserve(account(), NOON_US + HOUR_US, Usage(300), UsageLimits(tokens=1000))
    assert ledger.usage() == []
    database.close()


def test_a_bad_reply_counts_against_the_limit(ledger: SqlLedger) -> None:
    """As in a loop over a batch that the model never gets right."""
    inner = Says(error=CallBadReply("no", usage=Usage(200, 100)))
    assert spend(MeteredModel(inner, ledger, account(), UsageLimits(tokens=5_000)), 100) == 0
    assert 4_000 < ledger.usage()[0].tokens == 300 * inner.calls <= 5_000


def test_two_sessions_of_one_name_have_sums_of_their_own(tmp_path: Path) -> None:
    """Each agent is told what its own took; who speaks for none of them, what both took together."""
    with Memory.open(tmp_path / "m.db", embedder=NoEmbedder(), background=False) as memory:
        for agent, tokens in (("cook", 5), ("coach", 7)):
            theirs = memory.scope(user_id="alice", agent_id=agent)
            theirs.record([{"content": f"The {agent} is kind."}], session_id="main")
            mine = Account(theirs.scope.partition, "chat", "main", agent)
            memory.ledger.settle(mine, now_us(), Usage(tokens, 1), model="m", carried=[Carried(None, 1, tokens)])
        took = {
            agent: memory.scope(user_id="alice", agent_id=agent).session_usage("main")
            for agent in ("cook", "coach", None)
        }
        sums = {agent: (one.calls, one.usage.prompt_tokens, one.block_tokens) for agent, one in took.items()}
        assert sums == {"cook": (1, 5, 5), "coach": (1, 7, 7), None: (2, 12, 12)}
        assert [line.key for line in memory.usage(("session", "agent"))] == [("main", "coach"), ("main", "cook")]
        assert [line.tokens for line in memory.usage(("session",))] == [8, 6]
        memory.scope(user_id="alice", agent_id="cook").forget(session_id="main")
        assert [line.key for line in memory.usage(("session", "agent"))] == [(None, None), ("main", "coach")]
