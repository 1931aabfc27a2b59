"""What is kept in memory of many users stays within its limit, and everyone finds their own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from retentive.backends.sqlite import open_backend
from retentive.contracts import Index, Store
from retentive.corpus import Corpus
from retentive.sql import index as sql_index
from retentive.testing.made import known, put, said
from retentive.types import AddEpisode, Episode, Partition, Tier

EVERYONE = [Partition("default", "user", f"user{number}") for number in range(6)]


def write(store: Store, partition: Partition, count: int) -> None:
    episodes = [Episode(str(uuid4()), partition.owner, 0, 0) for _ in range(count)]
    with store.transaction(partition) as transaction:
        transaction.apply([AddEpisode(one) for one in episodes], {one.id: [one.text] for one in episodes})


def kept(index: Index, partition: Partition) -> Corpus:
    """What is kept of a user, who is asked twice: its bytes are counted when it is next asked for."""
    for _ in range(2):
        with index.snapshot(partition) as corpus:
            assert len(corpus.postings(partition.owner)[0]) == corpus.size >= 50
    return corpus


def test_who_was_asked_longest_ago_goes_first_and_is_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    with closing((backend := open_backend(path, cache_bytes=1)).store) as store:
        for partition in EVERYONE:
            write(store, partition, 50)
        each = kept(backend.index, EVERYONE[0]).byte_size
    with closing((backend := open_backend(path, cache_bytes=3 * each)).store) as store:
        for _ in range(3):
            first = {partition: kept(backend.index, partition) for partition in EVERYONE}
        for partition in EVERYONE[:2:-1]:
            assert kept(backend.index, partition) is first[partition]
        assert kept(backend.index, EVERYONE[2]) is not first[EVERYONE[2]]
        write(store, EVERYONE[3], 500)  # who grows takes the room of all others
        grown = kept(backend.index, EVERYONE[3])
        assert grown is first[EVERYONE[3]]
        assert grown.byte_size > 3 * each
        backend.index.forget(EVERYONE[3])  # and who is forgotten gives it back
        assert kept(backend.index, EVERYONE[4]) is not first[EVERYONE[4]]
        others = {partition: kept(backend.index, partition) for partition in EVERYONE[:3]}
        assert all(kept(backend.index, partition) is corpus for partition, corpus in others.items())


def test_a_scope_that_grows_large_is_searched_as_one_that_was_read_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_index, "BESIDE_FROM", 3)
    messages = [said("My kettle is red.", source_id="m1"), said("Tea at four")]
    with closing((grown := open_backend(str(tmp_path / "memory.db"), cache_bytes=1 << 20)).store) as store:
        put(store, EVERYONE[0], [*messages[:1], known("Has a red kettle", of=messages[0])])
        whole = lent(grown.index, EVERYONE[0])
        put(store, EVERYONE[0], messages[1:])
        put(store, EVERYONE[0], [known("Has a kettle", of=messages[0])])
        with closing((fresh := open_backend(str(tmp_path / "memory.db"), cache_bytes=1 << 20)).store):
            assert (whole, lent(grown.index, EVERYONE[0]), lent(fresh.index, EVERYONE[0])) == (1, 0, 0)


def lent(index: Index, partition: Partition) -> int:
    """How many facts speak for a message where messages alone are searched."""
    with index.snapshot(partition) as corpus:
        return len(corpus.view(corpus.column("tier") == Tier.EPISODIC).lent)
