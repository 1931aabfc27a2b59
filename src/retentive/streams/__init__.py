"""Logs of other systems: messages come in from a topic, and what was done to memories goes out to one.

The store stays the truth. A log only carries: what is read is committed after the store's commit and known again by its
id, what is sent is read from the store's own audit, so that a lost broker loses nothing.
"""

from __future__ import annotations

from retentive.streams.ingest import IngestReport, ingest
from retentive.streams.log import Log, Message, Record
from retentive.streams.opening import open_log
from retentive.streams.relay import RelayReport, relay

__all__ = ["IngestReport", "Log", "Message", "Record", "RelayReport", "ingest", "open_log", "relay"]
