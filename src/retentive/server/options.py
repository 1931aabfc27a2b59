"""How a server runs: where it listens, whom it answers, and the limits on what it takes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from retentive.errors import ConfigError

_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Given to `create_app` and `serve`; the command line's options of `retentive serve`.

    host, port: where it listens; loopback by default.
    allow_hosts: names in a request's Host header beside loopback's and `host`; others are refused (DNS rebinding).
    allow_origins: web pages of other origins that may call it, such as `https://app.example.org`; none by default.
    max_body_bytes: of a request. max_depth: of its JSON. body_timeout_s: for a client to send it.
    answer_timeout_s: for the server to answer it. failures_minute: wrong keys an address may try in a minute.
    tenant_minute: requests a minute for all keys of a tenant together; None sets no limit.
    workers: threads that answer requests.
    """

    host: str = "127.0.0.1"
    port: int = 8377
    allow_hosts: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    max_body_bytes: int = 16 << 20
    max_depth: int = 32
    body_timeout_s: float = 30.0
    answer_timeout_s: float = 60.0
    failures_minute: int = 60
    tenant_minute: int | None = None
    workers: int = 16

    def __post_init__(self) -> None:
        for origin in self.allow_origins:
            scheme, found, host = origin.partition("://")
            if not found or scheme not in {"http", "https"} or not host or set(host) & set("/*@ "):
                message = f"an origin is scheme://host[:port], such as https://app.example.org, not {origin!r}"
                raise ConfigError(message)
        if any("*" in host for host in self.allow_hosts):
            message = "a host is a name, not a pattern: name each host that is to be answered"
            raise ConfigError(message)

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a Host header may hold, in lower case, without a port."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(name.lower() for name in (*_LOCAL_NAMES, own, *self.allow_hosts))
