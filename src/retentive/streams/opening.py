"""From a URL to a log. Drivers load only here."""

from __future__ import annotations

from retentive.errors import ConfigError, MissingExtra
from retentive.streams.address import parse_address
from retentive.streams.log import Log


def open_log(url: str) -> Log:
    """Open the log that a URL means: `kafka://` or `redis://`. Raises ConfigError, MissingExtra, LogUnavailable."""
    address = parse_address(url)
    try:
        if address.scheme == "kafka":
            from retentive.streams.kafka import KafkaLog  # noqa: PLC0415

            return KafkaLog(address)
        if address.scheme == "redis":
            from retentive.streams.redis import RedisLog  # noqa: PLC0415

            return RedisLog(address)
    except ModuleNotFoundError as error:
        message = f"a {address.scheme}:// log needs its client: pip install 'retentive[{address.scheme}]'"
        raise MissingExtra(message) from error
    message = f"no log is known for {address.scheme}://: use kafka:// or redis://"
    raise ConfigError(message)
