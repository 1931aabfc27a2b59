"""Run the server: uvicorn, a worker thread beside it, and an end within five seconds of being asked."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from retentive.errors import ConfigError
from retentive.memory import Memory
from retentive.redaction import redact
from retentive.server.http import BoundedHttp
from retentive.server.options import ServerOptions

_GRACE_S = 3  # for requests under way
_WORKER_WAIT_S = 1.0  # for the job under way; one that takes longer is taken up by the next process


class RedactedFormatter(logging.Formatter):
    """A line of the log without what must not stand in one; a traceback keeps its places and loses its words."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line and, of an error nobody expected, where it happened."""
        return redact(super().format(record)).text

    def formatException(self, ei: Any) -> str:  # noqa: N802  as logging has it
        """The places of a traceback; the error's own words may quote a memory."""
        lines = super().formatException(ei).splitlines()
        places = [line for line in lines if line.lstrip().startswith("File ")]
        return "\n".join([*places, getattr(ei[0], "__name__", "")])


def serve(memory: Memory, app: ASGIApp, options: ServerOptions, *, started: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; what was acknowledged is stored, and the end comes within five seconds.

    A thread runs background jobs and the upkeep that is due. `started` is told the address once it listens.

    Raises ConfigError for an address that others can reach, while there is no key.
    """
    if not options.is_local and not memory.keys.any():
        message = f"{options.host} can be reached by others: make an API key first, `retentive keys create NAME`"
        raise ConfigError(message)
    stop = threading.Event()
    worker = threading.Thread(
        target=lambda: memory.work(stop.is_set, poll_s=0.5, schedule=True), name="retentive-worker", daemon=True
    )
    server = _Server(_config(app, options), started)
    worker.start()
    try:
        with _outliving_signals():
            server.run()
    finally:
        stop.set()
        worker.join(_WORKER_WAIT_S)


@contextmanager
def _outliving_signals() -> Iterator[None]:
    """Uvicorn raises the signal that ended it once more; the store is to be closed first, so that one is let pass."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[str], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._tell(f"http://{f'[{host}]' if ':' in host else host}:{port}")


def _config(app: ASGIApp, options: ServerOptions) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=options.host.strip("[]"),
        port=options.port,
        http=BoundedHttp,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=30,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        access_log=False,  # a path may hold an id, a query whose memory it is
        log_config=_log_config(),
    )


def _log_config() -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"()": RedactedFormatter, "format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "loggers": {
            "uvicorn": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
            "retentive": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        },
    }
