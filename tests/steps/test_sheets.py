"""A Google Sheet to review memory in: the real client against a stand-in for the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from retentive import Memory, ScopedMemory, sheets
from retentive.cli import main
from retentive.errors import DocumentError, SheetUnavailable
from retentive.sheets import GoogleTable, SheetReport
from retentive.sheets.cells import COLUMNS, Row, from_cells, to_cells
from sheets_service import KEY, Service, Serving


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def serving(service: Service) -> Iterator[Serving]:
    opened = Serving(service)
    yield opened
    opened.close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def table(serving: Serving, waits: list[float]) -> GoogleTable:
    return GoogleTable(serving.client(), KEY, "Memories", sleep=waits.append)


def pend(memory: Memory, mine: ScopedMemory, said: str) -> None:
    """Have a fact of weight drawn from what was said: it waits for a person."""
    with mine.session() as chat:
        chat.add("user", said)
    memory.process()


def facts(mine: ScopedMemory) -> dict[str, str]:
    return {item.text: item.status for item in mine.list("semantic", status=None) if item.retired_at is None}


def test_every_fact_is_a_row(memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service) -> None:
    mine.update_profile({"name": "Alice"})
    (tea,) = mine.remember("Likes tea", category="preference").ids
    memory.scope(agent_id="bot", tenant="acme").remember("Speaks plainly")
    assert sheets.sync(memory, table).rows == 4
    assert service.rows[0] == list(COLUMNS)
    known = service.find(tea)
    assert [service.cell(known, name) for name in ("whose", "status", "text", "category")] == [
        "user:alice",
        "active",
        "Likes tea",
        "preference",
    ]
    assert service.cell(service.find("name"), "text") == "Alice"
    assert service.cell(service.find("Speaks plainly"), "whose") == "acme/agent:bot"
    calls = len(service.calls)
    assert sheets.sync(memory, table) == SheetReport()
    assert len(service.calls) == calls + 1  # it was read, nothing was written


def test_a_person_corrects_rejects_and_adds(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    mine.update_profile({"name": "Alice"})
    mine.remember("Likes tea", category="preference")
    mine.remember("Has a cat", category="relationship")
    sheets.sync(memory, table)
    service.edit("Likes tea", text="Likes coffee", category="other")
    service.edit("Has a cat", status="Rejected")
    service.edit("Alice", text="Alicia")
    service.rows.append(["", "", "", "", "Plays the oud"])
    assert sheets.sync(memory, table) == SheetReport(rejected=1, corrected=2, added=1, rows=5)
    assert {text for text, status in facts(mine).items() if status == "active"} == {
        "Likes coffee",
        "name: Alicia",
        "Plays the oud",
    }
    assert sorted(service.cell(row, "text") for row in service.rows[1:]) == ["Alicia", "Likes coffee", "Plays the oud"]
    assert all(row[0] for row in service.rows)
    assert memory.audit(actor="sheet").entries
    assert sheets.sync(memory, table) == SheetReport()


def test_what_waits_is_accepted_or_turned_down(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    for number in (7, 12, 99):
        pend(memory, mine, f"My invoice address is Rua Augusta {number}.")
    first, second = (one.item.text for one in memory.review.pending())
    sheets.sync(memory, table)
    edited = f"{first[:-1]}a."
    service.edit(first, text=edited)
    assert sheets.sync(memory, table).refused == 1  # status is still pending
    assert "it waits" in service.cell(service.find(edited), "note")
    service.edit(edited, status="active")
    service.edit(second, status="rejected", why="that is my brother's")
    report = sheets.sync(memory, table)
    assert (report.accepted, report.rejected, report.refused) == (1, 1, 0)
    assert facts(mine)[edited] == "active"
    assert service.cell(service.find(edited), "note") == ""
    assert memory.review.pending() == []
    assert "that is my brother's" in {item.reason for item in mine.list("semantic", status=None)}


def test_what_changed_meanwhile_is_not_undone(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    (tea,) = mine.remember("Likes tea", category="preference").ids
    sheets.sync(memory, table)
    mine.update(tea, text="Likes green tea")
    service.edit("Likes tea", text="Likes coffee")
    assert sheets.sync(memory, table).refused == 1
    assert set(facts(mine)) == {"Likes green tea"}
    row = service.find(tea)
    assert service.cell(row, "text") == "Likes green tea"
    assert "changed meanwhile" in service.cell(row, "note")
    mine.update(tea, text="Likes white tea")
    assert sheets.sync(memory, table) == SheetReport(rows=1)  # nobody touched the row
    assert service.cell(service.find(tea), "text") == "Likes white tea"


def test_bad_edits_stay_with_the_reason(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    mine.update_profile({"name": "Alice"})
    for text in ("Likes tea", "Has a cat", "Has a dog"):
        mine.remember(text, category="preference")
    sheets.sync(memory, table)
    service.edit("Likes tea", status="maybe")
    service.edit("Has a cat", category="gossip")
    service.edit("Alice", text="A" * 500)
    service.rows.append([*service.find("Has a dog")[:4], "Has two dogs"])
    assert sheets.sync(memory, table).refused == 4
    notes = {service.cell(row, "text")[:12]: service.cell(row, "note") for row in service.rows[1:]}
    assert "status is active or rejected" in notes["Likes tea"]
    assert "category is one of" in notes["Has a cat"]
    assert notes["A" * 12]
    assert "its id stands above" in notes["Has two dogs"]
    assert facts(mine)["name: Alice"] == "active"
    service.edit("Likes tea", status="rejected")
    assert sheets.sync(memory, table).rejected == 1


def test_what_is_forgotten_leaves_the_sheet(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    (doomed,) = mine.remember("The vault is behind the painting").ids
    mine.remember("Likes tea")
    sheets.sync(memory, table)
    mine.forget(doomed)
    service.edit("The vault is behind the painting", text="The vault is in the cellar")
    sheets.sync(memory, table)
    assert [service.cell(row, "text") for row in service.rows[1:]] == ["Likes tea"]
    assert set(facts(mine)) == {"Likes tea"}


def test_no_cell_is_a_formula(memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service) -> None:
    texts = ['=HYPERLINK("http://evil")', "+1 for tea", "@SUM(A1)", "-1", "'=quoted", "'plain", "|pipe", "two\r\nlines"]
    for text in texts:
        mine.remember(text)
    sheets.sync(memory, table)
    assert service.formulas == []
    assert not any(cell.lstrip().startswith(tuple("=+-@|")) for row in service.rows for cell in row)
    assert sheets.sync(memory, table) == SheetReport()  # and none of them is taken for an edit
    for text in texts:
        assert from_cells(to_cells(Row("1", "1", "user:a", "active", text, "other"))).text == text


def test_an_edit_made_while_it_syncs_is_taken_up(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service
) -> None:
    mine.remember("Likes tea")
    sheets.sync(memory, table)
    mine.remember("Has a cat")
    service.before_read = [lambda: None, lambda: service.edit("Likes tea", text="Likes coffee")]  # at the second look
    report = sheets.sync(memory, table)
    assert report.corrected == 1
    assert set(facts(mine)) == {"Likes coffee", "Has a cat"}
    assert sorted(service.cell(row, "text") for row in service.rows[1:]) == ["Has a cat", "Likes coffee"]


def test_a_quota_is_waited_for(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, service: Service, waits: list[float]
) -> None:
    mine.remember("Likes tea")
    service.refuse = [(429, {}), (503, {}), (429, {"Retry-After": "7"})]
    assert sheets.sync(memory, table).rows == 2
    assert len(waits) == 3
    assert waits[2] == 7
    assert waits[0] < waits[1]
    service.refuse = [(429, {})] * 9
    with pytest.raises(SheetUnavailable, match="429"):
        sheets.sync(memory, table)
    assert len(waits) == 3 + 5
    service.refuse = [(403, {})]
    with pytest.raises(SheetUnavailable, match="403"):
        sheets.sync(memory, table)
    assert len(waits) == 3 + 5  # waiting would not help


def test_heads_that_were_moved_are_said(memory: Memory, table: GoogleTable, service: Service) -> None:
    sheets.sync(memory, table)
    service.rows.clear()
    service.rows.append(["my", "own", "list"])
    with pytest.raises(DocumentError, match="put it back"):
        sheets.sync(memory, table)


def test_a_sheet_that_is_not_there_is_said(serving: Serving) -> None:
    with pytest.raises(SheetUnavailable, match="shared with"):
        GoogleTable(serving.client(), "another", "Memories", sleep=lambda _: None)


def test_the_command_syncs(
    memory: Memory, mine: ScopedMemory, table: GoogleTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.remember("Likes tea")
    memory.process()
    path = tmp_path / "key.json"
    path.write_text("{}", "utf-8")
    command = ["sheet", "--key", KEY, "--credentials", str(path), "--store", str(tmp_path / "store.db"), "--json"]
    assert "service account" in CliRunner().invoke(main, command).stderr
    monkeypatch.setattr(sheets, "open_table", lambda *_: table)
    ran = CliRunner().invoke(main, command)
    assert (ran.exit_code, json.loads(ran.stdout)["rows"]) == (0, 1)
