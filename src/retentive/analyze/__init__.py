"""Text to index terms, once, for every backend.

Words are folded and stemmed; codes (order numbers, file names, addresses, identifiers) are kept whole and in parts;
scripts without spaces are cut into character n-grams; symbols such as emoji are terms. A text gives plain terms; a
query gives for each word the terms that may stand for it, with weights. Pure functions without a model.
"""

from retentive.analyze.folding import fold
from retentive.analyze.pieces import in_grams
from retentive.analyze.terms import MAX_TERMS, MAX_TEXT_CHARS, QueryTerm, index_terms, query_terms, speaker_term

__all__ = [
    "MAX_TERMS",
    "MAX_TEXT_CHARS",
    "QueryTerm",
    "fold",
    "in_grams",
    "index_terms",
    "query_terms",
    "speaker_term",
]
