"""The errors Retentive raises. Each class's docstring is its default message: it says what to do.

Drivers' own exceptions never reach a caller: a backend maps them to one of these and keeps the original as the cause.
"""

from __future__ import annotations

from inspect import cleandoc


class RetentiveError(Exception):
    """Something went wrong in Retentive."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or cleandoc(type(self).__doc__ or ""))


# -- what a caller can mend ------------------------------------------------------------------------------------------
class InvalidInput(RetentiveError, ValueError):
    """The input cannot be stored or searched as it is."""


class InvalidScope(InvalidInput):
    """A scope needs a user_id or an agent_id, such as user_id="alice". There is no global memory."""


class InvalidTimestamp(InvalidInput):
    """A timestamp needs a zone: 2026-08-18T09:00:00+08:00, or an aware datetime."""


class InvalidFilter(InvalidInput):
    """A filter is a dict of field: plain value, such as {"category": "preference"}."""


class TextTooLong(InvalidInput):
    """The text is longer than a memory may be: split it, or keep it in a file and remember where it is."""


class DocumentError(InvalidInput):
    """The edited text cannot be read: see which line, mend it and try again. Nothing was changed."""


class NotFound(RetentiveError, LookupError):
    """No memory with this id is in the scope."""


class Conflict(RetentiveError):
    """The memory was changed by someone else since it was read: read it again, then repeat the change."""


class IdempotencyConflict(Conflict):
    """The idempotency key was used before, for something else: nothing was stored; make a key for each statement."""


class ConfigError(RetentiveError):
    """A setting is unknown or has a value that cannot be used."""


class MissingExtra(RetentiveError, ImportError):
    """An optional part is not installed."""


# -- the store -------------------------------------------------------------------------------------------------------
class StoreError(RetentiveError):
    """The store could not do what was asked; nothing was changed."""


class StoreUnavailable(StoreError):
    """The store cannot be opened: check that its folder exists and that you may write to it."""


class StoreReadOnly(StoreError):
    """The store is read-only: make the file and its folder writable, or open another store."""


class StoreFull(StoreError):
    """No space is left where the store is: nothing was written; free some space and repeat the call."""


class StoreBusy(StoreError):
    """Another writer held the store too long: nothing was written; repeat the call."""


class StoreYielded(StoreBusy):
    """Other writers and this one waited for each other, again and again: nothing was written; repeat the call."""


class StoreDamaged(StoreError):
    """The store's file is damaged: run `retentive doctor`, and restore a backup if it cannot be mended."""


class StoreNewer(StoreError):
    """The store was written by a newer Retentive: upgrade with `pip install -U retentive`."""


class NotAStore(StoreError):
    """The file is not a Retentive store, or an encrypted one: choose another path, or give RETENTIVE_STORE_KEY.

    The file was left as it is.
    """


class WrongKey(StoreError):
    """The key does not open the store, or the file is none: the file was left as it is."""


class BackupDamaged(RetentiveError):
    """The file is no backup of Retentive, or was changed or cut off: nothing was restored; use another copy of it."""


class WrongPassphrase(RetentiveError):
    """The passphrase does not open this backup: nothing was restored."""


class StoreClosed(StoreError):
    """The memory was closed: open it again with Memory.open(...)."""


# -- embedders and models --------------------------------------------------------------------------------------------
class EmbedderError(RetentiveError):
    """The embedder could not turn text into vectors."""


class EmbedderUnavailable(EmbedderError):
    """The embedder did not answer: search goes on by text alone and the vectors are made later."""


class EmbedderMismatch(EmbedderError):
    """The store's vectors were made by another embedder: open it with that one, or run `retentive reembed`."""


class ModelError(RetentiveError):
    """The language model could not do what was asked."""


class RerankerUnavailable(RetentiveError):
    """The reranker did not answer in time: the order without it stands."""


class ModelUnavailable(ModelError):
    """The language model did not answer in time, or refused: repeat later or configure a fallback."""


class ModelBadReply(ModelError):
    """The language model answered with something that is not what was asked for, also after a repair was tried."""


class LimitReached(ModelError):
    """The token or money limit of this hour is used up: work waits for the next hour, or raise the limit."""


class IndexUnavailable(RetentiveError):
    """The vector index beside the store did not answer: it catches up when it is there again."""


class SheetUnavailable(RetentiveError):
    """The spreadsheet did not answer: what was done in the store stays, sync it again."""


class LogUnavailable(RetentiveError):
    """The log did not answer, or refused: nothing is lost; what was not committed is read again."""


class ImportFailed(RetentiveError):
    """The file to import is not in a format Retentive reads."""
