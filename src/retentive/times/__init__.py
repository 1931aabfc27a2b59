"""Times in words: dates and expressions relative to a moment, read by one table for each language.

Extraction puts dates beside what was said (`found`, with the language known), recall looks for days that a query speaks
of (`spans`, whatever the language). Pure: no clock is read.
"""

from retentive.times.dates import Span
from retentive.times.relative import Found, Period, found
from retentive.times.spans import spans
from retentive.times.tables import MONTHS, TABLES, WEEKDAYS

__all__ = ["MONTHS", "TABLES", "WEEKDAYS", "Found", "Period", "Span", "found", "spans"]
