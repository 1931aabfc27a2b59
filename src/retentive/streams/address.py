"""Where a log is: the parts of a URL such as kafka://broker:9092/topic?group=memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from retentive.errors import ConfigError

_SHAPE = "kafka://host:9092/topic?group=name, or redis:// with a stream's name in the place of the topic"
#: The group of readers when the URL names none.
GROUP = "retentive"


@dataclass(frozen=True, slots=True)
class Address:
    """A log's address. `options` are the driver's own; they and the password are not shown."""

    scheme: str
    hosts: str
    topic: str
    group: str = GROUP
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)


def parse_address(url: str) -> Address:
    """The parts of a log's URL. Raises ConfigError.

    >>> parse_address("kafka://a:9092,b:9092/chats?group=memory")
    Address(scheme='kafka', hosts='a:9092,b:9092', topic='chats', group='memory', user=None)
    """
    found = urlsplit(url)
    login, _, hosts = found.netloc.rpartition("@")
    topic = unquote(found.path.strip("/"))
    if not found.scheme or not hosts or not topic or "/" in topic:
        message = f"the address of a log is {_SHAPE}"  # what was given may hold a password
        raise ConfigError(message)
    user, _, password = login.partition(":")
    options = dict(parse_qsl(found.query))
    group = options.pop("group", GROUP)
    return Address(found.scheme, hosts, topic, group, unquote(user) or None, unquote(password) or None, options)
