"""Reading a fact sentence by rules: who, which attribute, which value, and how it relates to time.

Pure and model-free. `parse_statement` is the whole interface; languages are tables, one file each.
"""

from retentive.statement.model import Statement, Tense
from retentive.statement.parse import parse_statement, parse_statements

__all__ = ["Statement", "Tense", "parse_statement", "parse_statements"]
