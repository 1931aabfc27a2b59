"""A spreadsheet to review memory in: a row a fact, which a person may correct, accept or turn down.

The store stays the truth. Each time it is synced, what people changed in the sheet is done in the store, then the sheet
is brought to what the store has.
"""

from __future__ import annotations

from retentive.sheets.google import GoogleTable, open_table
from retentive.sheets.sync import SheetReport, sync

__all__ = ["GoogleTable", "SheetReport", "open_table", "sync"]
