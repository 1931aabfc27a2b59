"""The command line as people and programs use it: what is printed where, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import click
import pytest
from click.testing import Result

from retentive import Memory, Settings
from retentive.cli import main

Run = Callable[..., Result]


def ids_of(run: Run, *arguments: str) -> list[str]:
    return [item["id"] for item in json.loads(run("list", "--json", *arguments).stdout)["items"]]


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, command in main.commands.items():
        inner = command.commands if isinstance(command, click.Group) else {}
        found += [(name, other) for other in inner] or [(name,)]
    return found


# -- keep and find -----------------------------------------------------------------------------------------------------
def test_what_is_remembered_is_recalled(run: Run) -> None:
    assert run("remember", "I prefer answers in German").stdout.startswith("stored ")
    result = run("recall", "which language for answers?")
    assert result.stdout.startswith("1. I prefer answers in German\n")
    assert result.stderr == ""


def test_recall_as_json_has_the_fields_of_the_interface(run: Run) -> None:
    run("record", "We discussed billing", "--id", "m7", "--session", "s1", "--timestamp", "2026-03-02T09:00:00+08:00")
    found = json.loads(run("recall", "billing", "--json").stdout)
    hit = found["hits"][0]
    assert (hit["text"], hit["source_ids"], hit["session_id"]) == ("We discussed billing", ["m7"], "s1")
    assert hit["timestamp"] == "2026-03-02T01:00:00Z"
    assert set(found) == {"hits", "degraded", "below_floor", "trace"}
    assert set(found["below_floor"]) == {"count", "best_score"}
    assert sum(hit["parts"].values()) == pytest.approx(hit["score"])


def test_a_newer_statement_takes_the_older_ones_place(run: Run) -> None:
    run("remember", "My favourite tea is Earl Grey")
    receipt = run("remember", "My favourite tea is Assam now", "--json")
    one = json.loads(receipt.stdout)["items"][0]
    assert one["outcome"] == "superseded"
    history = run("history", one["id"]).stdout.splitlines()
    assert ["superseded" in line for line in history] == [True, False]
    assert "Earl Grey" in history[0]
    assert "Earl Grey" not in run("list").stdout
    assert "Earl Grey" in run("list", "--status", "any").stdout
    assert "versions:" in run("why", one["id"]).stdout


def test_block_and_profile(run: Run) -> None:
    assert run("block").stdout == ""
    run("profile", "name=Alice", "timezone=GMT+8")
    assert run("profile").stdout == "name: Alice\ntimezone: GMT+8\n"
    assert json.loads(run("profile", "--json").stdout) == {"name": "Alice", "timezone": "GMT+8"}
    assert "- name: Alice" in run("block").stdout
    run("profile", "timezone=")
    assert run("profile").stdout == "name: Alice\n"


def test_sessions_are_listed_and_shown(run: Run) -> None:
    run("record", "first words", "second words", "--session", "s1", "--role", "user", "--name", "Alice")
    assert json.loads(run("session", "list", "--json").stdout)[0]["message_count"] == 2
    assert run("session", "list").stdout.splitlines()[1].startswith("s1 ")
    lines = run("session", "show", "s1").stdout.splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["Alice: first words", "Alice: second words"]
    assert "no session" in run("session", "show", "s2", code=1).stderr


def test_pages_of_a_list_hold_everything_once(run: Run) -> None:
    texts = ["Likes jazz", "Owns a kayak", "Allergic to sesame", "Deploys on Fridays", "Speaks Welsh"]
    for text in texts:
        run("remember", text)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = json.loads(run("list", "--limit", "2", "--json", *(["--cursor", cursor] if cursor else [])).stdout)
        seen += [item["text"] for item in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == texts[::-1]
    assert "--cursor" in run("list", "--limit", "2").stderr


# -- record ------------------------------------------------------------------------------------------------------------
def test_record_reads_a_list_of_messages_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "messages.json"
    file.write_text(json.dumps([{"role": "user", "content": "Grüße", "id": "1"}, {"role": "assistant", "content": ""}]))
    receipt = json.loads(run("record", str(file), "--json").stdout)
    assert [item["outcome"] for item in receipt["items"]] == ["stored", "skipped"]
    assert run("record", str(file)).stdout.splitlines()[0].startswith("duplicate ")


def test_record_reads_a_message_a_line_from_stdin(run: Run) -> None:
    lines = "\n".join(json.dumps({"role": "user", "content": f"line {number}"}) for number in range(7))
    assert run("record", "-", "--session", "s1", stdin=lines).stdout == "7 stored\n"


def test_a_file_that_is_broken_anywhere_is_recorded_nowhere(run: Run) -> None:
    lines = '{"role": "user", "content": "fine"}\n{"role": "user", "content": \n'
    assert "line 2" in run("record", "-", stdin=lines, code=1).stderr
    assert ids_of(run) == []
    assert "no-such.json" in run("record", "no-such.json", code=2).stderr


# -- ids ---------------------------------------------------------------------------------------------------------------
def test_the_beginning_of_an_id_is_enough(run: Run) -> None:
    run("remember", "My favourite tea is Assam")
    shown = run("list").stdout.splitlines()[1].split()[0]
    (whole,) = ids_of(run)
    assert len(shown) < len(whole)
    for command in ("why", "history"):
        assert "Assam" in run(command, shown).stdout
    run("forget", shown)
    assert ids_of(run) == []


def test_a_beginning_that_two_ids_share_is_refused(run: Run) -> None:
    run("remember", "My favourite tea is Assam", "--no-process")
    run("remember", "My bicycle is green", "--no-process")
    first, second = ids_of(run)
    shared = "".join(a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=True)))
    assert "more than one id" in run("forget", shared, code=1).stderr
    assert len(ids_of(run)) == 2


def test_another_users_id_is_not_found(run: Run) -> None:
    run("remember", "My favourite tea is Assam", "--user", "bob")
    (theirs,) = ids_of(run, "--user", "bob")
    for command in ("why", "history", "forget"):
        run(command, theirs, code=1)
        run(command, theirs[:18], code=1)
    assert ids_of(run, "--user", "bob") == [theirs]


# -- forget ------------------------------------------------------------------------------------------------------------
def test_forgetting_by_filter_asks_for_a_yes(run: Run) -> None:
    run("remember", "I prefer tea", "--category", "preference")
    run("remember", "My bicycle is green")
    assert "--yes" in run("forget", "--where", "category=preference", code=2).stderr
    assert len(ids_of(run)) == 2
    assert "ERASED" in run("forget", "--where", "category=preference", "--yes").stdout
    assert [line.split()[-1] for line in run("list").stdout.splitlines()[1:]] == ["green"]


def test_a_conversation_is_shown_before_it_goes_and_looked_for_after(run: Run) -> None:
    run("record", "My boat is called Halcyon", "--session", "s1")
    run("record", "I live in Utrecht", "--session", "s2")
    assert "WOULD GO" in run("forget", "--session", "s1", "--dry-run").stdout
    assert len(ids_of(run)) == 2
    assert (
        "bytes of memory.db"
        in run("forget", "--session", "s1", "--until", "9999-01-01T00:00:00Z", "--verify", "--yes").stdout
    )
    assert len(ids_of(run)) == 1
    assert json.loads(run("forget", "--of-project", "house", "--yes", "--json").stdout)["ids"] == []
    assert "would go" in run("forget", "--everything", "--dry-run").stdout.casefold()


def test_forgetting_everything_leaves_the_other_users(run: Run) -> None:
    run("remember", "My bicycle is green")
    run("remember", "My bicycle is red", "--user", "bob")
    report = json.loads(run("forget", "--everything", "--yes", "--json").stdout)
    assert all(place["left"] == 0 for place in report["places"])
    assert ids_of(run) == []
    assert len(ids_of(run, "--user", "bob")) == 1


@pytest.mark.parametrize("arguments", [(), ("--everything", "--where", "a=b"), ("some-id", "--everything")])
def test_forget_wants_one_thing_said(run: Run, arguments: tuple[str, ...]) -> None:
    run("forget", *arguments, code=2)


# -- options and exit codes --------------------------------------------------------------------------------------------
def test_shared_options_stand_before_or_after_the_command(run: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    run("--store", other, "--user", "bob", "remember", "My bicycle is red")
    assert ids_of(run, "--user", "bob") == []
    for arguments in (
        ("--store", other, "--user", "bob", "--json", "list"),
        ("list", "--store", other, "--user", "bob", "--json"),
        ("--user", "carol", "list", "--store", other, "--user", "bob", "--json"),
    ):
        assert len(json.loads(run(*arguments).stdout)["items"]) == 1
    assert json.loads(run("--json", "session", "list").stdout) == []


def test_narrower_scopes_come_from_options(run: Run) -> None:
    run("remember", "Deploys happen on Fridays", "--agent", "ops")
    assert ids_of(run, "--agent", "sales") == []
    assert len(ids_of(run, "--agent", "ops")) == 1
    assert ids_of(run, "--tenant", "elsewhere") == []


def test_nobody_named_is_misuse_and_makes_no_store(run: Run, monkeypatch: pytest.MonkeyPatch, settings: Path) -> None:
    monkeypatch.delenv("RETENTIVE_USER")
    result = run("recall", "anything", code=2)
    assert "--user" in result.stderr
    assert not settings.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("recall",),
        ("recall", "x", "--no-such-option"),
        ("recall", "x", "-k", "many"),
        ("list", "--where", "no equals sign"),
        ("remember", "x", "--metadata", "{"),
        ("import", "no-such-file.json"),
        ("chat",),
    ],
)
def test_misuse_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("recall", "x", "-k", "0"), "k must be"),
        (("record", "x", "--timestamp", "2026-03-02T09:00:00"), "zone"),
        (("remember", "x", "--category", "opinions"), "preference"),
        (("why", "00000000-0000-7000-8000-000000000000"), "no memory"),
        (("profile", "shoe_size=43"), "unknown profile field"),
        (("list", "--store", "mysql://somewhere"), "mysql"),
    ],
)
def test_what_fails_ends_with_1_and_one_line_that_says_why(run: Run, arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments, code=1)
    assert said in result.stderr.lower()
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_misspelt_setting_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETENTIVE_USSER", "alice")
    assert "RETENTIVE_USER" in run("list", code=1).stderr


def test_a_file_that_is_no_store_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("my notes, long enough to be taken for something " * 40)
    before = file.read_bytes()
    assert "not a Retentive store" in run("list", "--store", str(file), code=1).stderr
    assert file.read_bytes() == before


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_shows_an_example(run: Run, command: tuple[str, ...]) -> None:
    text = run(*command, "--help").stdout
    assert f"\n  retentive {' '.join(command)}" in text.partition("Example:")[2]


# -- background work ---------------------------------------------------------------------------------------------------
def test_a_command_that_writes_runs_the_jobs_it_made(run: Run) -> None:
    run("remember", "My bicycle is green")
    assert json.loads(run("process", "--json").stdout)["done"] == 0
    run("remember", "My car is red", "--no-process")
    assert json.loads(run("process", "--json").stdout)["done"] == 1


def test_process_stops_after_so_many_jobs(run: Run) -> None:
    for text in ("Likes jazz", "Owns a kayak", "Speaks Welsh"):
        run("remember", text, "--no-process")
    report = json.loads(run("process", "--max-jobs", "2", "--json").stdout)
    assert (report["done"], report["waiting"]) == (2, 1)


def test_reembed_makes_the_vectors_of_another_embedder(run: Run, settings: Path) -> None:
    run("remember", "My bicycle is green")
    assert "minilm" in run("reembed", "--embedder", "offline").stdout
    assert "reembed" in run("recall", "two wheels", code=1).stderr  # the settings still name the other one
    with Memory.open(settings, settings=Settings(), background=False) as memory:
        assert memory.pending() == 0
        found = memory.scope(user_id="alice").recall("which colour is the bike?")
    assert (found.hits[0].text, found.degraded) == ("My bicycle is green", ())


def test_doctor_says_that_a_store_is_sound(run: Run) -> None:
    run("remember", "My bicycle is green")
    assert run("doctor").stdout.splitlines()[-1] == "sound"
    assert json.loads(run("doctor", "--fix", "--json").stdout)["problems"] == []


# -- files -------------------------------------------------------------------------------------------------------------
def test_an_export_can_be_imported_by_another_user_and_twice(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "alice.jsonl")
    run("remember", "My bicycle is green")
    run("record", "I rode to work", "--session", "s1")
    run("export", file)
    assert "2 imported" in run("import", file, "--user", "bob", "--store", str(tmp_path / "bob.db")).stdout
    again = run("import", file, "--user", "bob", "--store", str(tmp_path / "bob.db"), "--json")
    assert (json.loads(again.stdout)["imported"], json.loads(again.stdout)["duplicates"]) == (0, 2)


# -- measurements ------------------------------------------------------------------------------------------------------
def test_bench_engine_reports_both_stores(run: Run) -> None:
    options = ("--memories", "1000", "--users", "10", "--queries", "5", "--dimension", "8", "--json")
    result = json.loads(run("bench", "engine", *options).stdout)
    assert (result["shared_build"]["memories"], result["alone_build"]["memories"]) == (1000, 100)
    assert 0 < result["floor"]["p50_ms"] < result["alone"]["p50_ms"]
    assert result["ratio_p50"] == pytest.approx(result["shared"]["p50_ms"] / result["alone"]["p50_ms"])
