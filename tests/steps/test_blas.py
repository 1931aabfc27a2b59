"""The application's own number of threads is what it was, whoever was inside at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import ThreadpoolController

from retentive.blas import one_thread


def threads() -> set[int]:
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return {library.get_num_threads() for library in found}


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    with ThreadpoolController().limit(limits=3, user_api="blas"):
        yield


def test_inside_there_is_one_and_behind_it_what_there_was() -> None:
    with one_thread():
        assert threads() == {1}
    assert threads() == {3}


def test_two_that_overlap_leave_what_there_was_before_the_first() -> None:
    first, second = one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads() == {1}
    second.__exit__(None, None, None)
    assert threads() == {3}


def test_an_error_inside_changes_nothing_of_that() -> None:
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert threads() == {3}
