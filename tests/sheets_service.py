"""A stand-in for Google Sheets on loopback: what gspread calls of its API v4 here, answered in its shapes."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import gspread
import requests
from google.auth.credentials import AnonymousCredentials
from requests.adapters import HTTPAdapter

KEY = "sheet-1"
_RANGE = re.compile(r"'?(?P<title>[^'!]+)'?(?:!A(?P<first>\d+)(?::[A-Z]+(?P<last>\d+))?)?")


class Service:
    """One spreadsheet. `refuse` is what it answers next in place of an answer: (status, headers), oldest first."""

    def __init__(self) -> None:
        self.sheets: dict[str, list[list[str]]] = {"Sheet1": []}
        self.formulas: list[str] = []
        self.refuse: list[tuple[int, dict[str, str]]] = []
        self.calls: list[str] = []
        self.before_read: list[Any] = []

    @property
    def rows(self) -> list[list[str]]:
        """What stands in the worksheet that is synced."""
        return self.sheets["Memories"]

    def cell(self, row: list[str], column: str) -> str:
        place = self.rows[0].index(column)
        return row[place] if place < len(row) else ""

    def find(self, text: str) -> list[str]:
        """The row that has this in a cell."""
        (found,) = [row for row in self.rows if text in row]
        return found

    def edit(self, text: str, /, **cells: str) -> None:
        """As a person would, in the row that has this text."""
        row = self.find(text)
        for column, value in cells.items():
            row[self.rows[0].index(column)] = value

    # -- the API -----------------------------------------------------------------------------------------------------
    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any, dict[str, str]]:
        what = unquote(path.removeprefix(f"/v4/spreadsheets/{KEY}"))
        self.calls.append(f"{method} {what}")
        if self.refuse:
            status, headers = self.refuse.pop(0)
            return status, {"error": {"code": status, "message": "Quota exceeded", "status": "X"}}, headers
        if not path.startswith(f"/v4/spreadsheets/{KEY}"):
            return (
                404,
                {"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}},
                {},
            )
        return 200, self._of(what, body), {}

    def _of(self, what: str, body: Any) -> Any:
        if what == "":
            sheets = [{"properties": self._properties(title)} for title in self.sheets]
            return {"spreadsheetId": KEY, "properties": {"title": "Review"}, "sheets": sheets}
        if what == ":batchUpdate":
            return {"spreadsheetId": KEY, "replies": [self._requested(one) for one in body["requests"]]}
        if what == "/values:batchUpdate":
            for one in body["data"]:
                self._write(one["range"], one["values"], body["valueInputOption"])
            return {"spreadsheetId": KEY, "totalUpdatedRows": len(body["data"])}
        return self._values(what.removeprefix("/values/"), body)

    def _values(self, asked: str, body: Any) -> Any:
        title = self._title(asked)
        if asked.endswith(":append"):
            for row in body["values"]:
                self.sheets[title].append(self._typed(row, "RAW"))
            return {"spreadsheetId": KEY, "updates": {"updatedRows": len(body["values"])}}
        if self.before_read:
            self.before_read.pop(0)()
        trimmed = [_trimmed(row) for row in self.sheets[title]]
        return {"range": f"'{title}'!A1:L100", "majorDimension": "ROWS"} | ({"values": trimmed} if trimmed else {})

    def _requested(self, one: Any) -> Any:
        if "addSheet" in one:
            title = one["addSheet"]["properties"]["title"]
            self.sheets[title] = []
            return {"addSheet": {"properties": self._properties(title)}}
        where = one["deleteDimension"]["range"]
        del list(self.sheets.values())[where["sheetId"]][where["startIndex"] : where["endIndex"]]
        return {}

    def _properties(self, title: str) -> Any:
        number = list(self.sheets).index(title)
        grid = {"rowCount": 100, "columnCount": 12}
        return {"sheetId": number, "title": title, "index": number, "sheetType": "GRID", "gridProperties": grid}

    def _title(self, asked: str) -> str:
        found = _RANGE.match(asked)
        assert found is not None, asked
        return found["title"].removesuffix(":append")

    def _write(self, asked: str, values: list[list[str]], option: str) -> None:
        found = _RANGE.match(asked)
        assert found is not None, asked
        for place, row in enumerate(values, int(found["first"]) - 1):
            self.sheets[found["title"]][place] = self._typed(row, option)

    def _typed(self, row: list[str], option: str) -> list[str]:
        if option != "RAW":
            self.formulas += [cell for cell in row if cell.startswith("=")]
        return [str(cell) for cell in row]


def _trimmed(row: list[str]) -> list[str]:
    """Cells at the end that are empty are not sent."""
    while row and row[-1] == "":
        row = row[:-1]
    return row


class Serving:
    """The service behind a port, and a real gspread client that is led to it."""

    def __init__(self, service: Service) -> None:
        class Handler(BaseHTTPRequestHandler):
            def _do(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, told, headers = service.answer(self.command, urlsplit(self.path).path, body)
                content = json.dumps(told).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = _do  # noqa: N815  the names that the base class looks for

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def client(self) -> gspread.Client:
        port = self._server.server_port

        class ToLoopback(HTTPAdapter):
            def send(self, request: Any, *given: Any, **more: Any) -> Any:
                request.url = request.url.replace("https://sheets.googleapis.com", f"http://127.0.0.1:{port}")
                return super().send(request, *given, **more)

        session = requests.Session()
        session.mount("https://sheets.googleapis.com", ToLoopback())
        return gspread.Client(AnonymousCredentials(), session)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
