"""Google Sheets, by gspread: one worksheet as a table.

What the service refuses for now is asked again, ever more slowly. Cells are written raw, so that the service takes none
for a formula.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

import gspread
import requests
from gspread.exceptions import APIError, GSpreadException, SpreadsheetNotFound, WorksheetNotFound

from retentive.errors import SheetUnavailable
from retentive.sheets.cells import COLUMNS, Changes

#: The quota is by the minute: six tries wait 63 seconds together.
_TRIES = 6
_LONGEST_WAIT_S = 64.0
_ANSWER_S = 30.0
_LATER = frozenset({408, 429})
_ROWS = 100
Answer = TypeVar("Answer")


def open_table(credentials: str, key: str, worksheet: str = "Memories") -> GoogleTable:
    """A worksheet of a spreadsheet, made where it is not there.

    Args:
        credentials: the file of a service account's key; share the spreadsheet with that account.
        key: the spreadsheet's id, as it stands in its address.
        worksheet: its name.

    Raises SheetUnavailable.
    """
    try:
        client = gspread.service_account(filename=credentials)
    except (OSError, ValueError) as error:
        message = (
            f"the credentials cannot be read ({type(error).__name__}): give the JSON key file of a service account"
        )
        raise SheetUnavailable(message) from error
    return GoogleTable(client, key, worksheet)


class GoogleTable:
    """One worksheet."""

    def __init__(
        self, client: gspread.Client, key: str, worksheet: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sleep = sleep
        client.http_client.set_timeout(_ANSWER_S)
        self._book = self._asked(lambda: client.open_by_key(key))
        try:
            self._sheet = self._asked(lambda: self._book.worksheet(worksheet))
        except WorksheetNotFound:
            self._sheet = self._asked(lambda: self._book.add_worksheet(worksheet, _ROWS, len(COLUMNS)))

    def read(self) -> list[list[str]]:
        """All cells, the head first."""
        return [[str(cell) for cell in row] for row in self._asked(self._sheet.get_all_values)]

    def change(self, wanted: Changes) -> None:
        """Write rows, then add, then take away: at most three calls."""
        last = chr(ord("A") + len(COLUMNS) - 1)
        if wanted.updated:
            data = [{"range": f"A{no}:{last}{no}", "values": [cells]} for no, cells in wanted.updated.items()]
            self._asked(lambda: self._sheet.batch_update([dict(one) for one in data], raw=True))
        if wanted.appended:
            self._asked(lambda: self._sheet.append_rows(wanted.appended, table_range="A1"))
        if wanted.deleted:
            requests_ = [_deletion(self._sheet.id, number) for number in sorted(wanted.deleted, reverse=True)]
            self._asked(lambda: self._book.batch_update({"requests": requests_}))

    def _asked(self, call: Callable[[], Answer]) -> Answer:
        """The service's answer. Raises SheetUnavailable when it refuses, or is not there for a minute."""
        for tried in range(_TRIES):
            try:
                return call()
            except (SpreadsheetNotFound, PermissionError) as error:
                message = "there is no such spreadsheet, or it is not shared with the service account"
                raise SheetUnavailable(message) from error
            except WorksheetNotFound:
                raise
            except (GSpreadException, requests.RequestException) as error:
                wait_s = _wait_s(error, tried)
                if wait_s is None or tried == _TRIES - 1:
                    message = f"Google Sheets refused ({_said(error)}): what was done in the store stays, sync it again"
                    raise SheetUnavailable(message) from error
                self._sleep(wait_s)
        raise SheetUnavailable


def _wait_s(error: Exception, tried: int) -> float | None:
    """How long to wait before asking again; None where that would not help."""
    if isinstance(error, APIError):
        code = error.response.status_code
        if code not in _LATER and code < 500:
            return None
        asked = error.response.headers.get("Retry-After", "")
        if asked.isdigit():
            return min(float(asked), _LONGEST_WAIT_S)
    elif isinstance(error, GSpreadException):
        return None
    return min(2.0**tried * random.uniform(0.75, 1.25), _LONGEST_WAIT_S)  # noqa: S311  spreading callers out is no secret


def _said(error: Exception) -> str:
    return f"HTTP {error.response.status_code}" if isinstance(error, APIError) else type(error).__name__


def _deletion(sheet_id: int, number: int) -> dict[str, Any]:
    where = {"sheetId": sheet_id, "dimension": "ROWS", "startIndex": number - 1, "endIndex": number}
    return {"deleteDimension": {"range": where}}
