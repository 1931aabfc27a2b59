"""Reading a fact sentence by rules: who, which attribute, which value, and how it relates to time.

Pure and model-free. `parse_statement` is the interface; `parse.py` is the only engine and languages are tables, one
file each, so that a language is added without code.
"""

from retentive.statement.atoms import atoms, changes_person
from retentive.statement.attributes import FIELD_OF_ATTRIBUTE, attribute_of_field
from retentive.statement.folding import fold, in_own_case
from retentive.statement.model import Statement, Tense
from retentive.statement.parse import parse_statement, parse_statements

__all__ = [
    "FIELD_OF_ATTRIBUTE",
    "Statement",
    "Tense",
    "atoms",
    "attribute_of_field",
    "changes_person",
    "fold",
    "in_own_case",
    "parse_statement",
    "parse_statements",
]
