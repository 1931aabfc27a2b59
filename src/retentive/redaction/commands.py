"""Passwords given to command-line programs: `mysql -pVALUE`, `curl -u user:VALUE`, `sshpass -p VALUE`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from retentive.redaction.policy import Span
from retentive.redaction.shape import is_placeholder


class Command(NamedTuple):
    """A program and the way it takes a password.

    `literals`: one of them is in the lower-cased text; `head`: the program's name, or "" when `flag` tells enough;
    `flag`: what precedes and holds the value, looked for in the rest of the line after the name.
    """

    literals: tuple[str, ...]
    head: str
    flag: str


_REACH: Final = 300
_COMMANDS: Final = (
    Command(("mysql", "mariadb"), r"(?:mysql\w{0,10}|mariadb[\w-]{0,8})\b", r"\s-p(?P<value>[^\s\x00]{4,120})"),
    Command(("sshpass",), "", r"sshpass\s+-p\s{0,2}(?P<value>\"[^\"\n]{1,120}\"|'[^'\n]{1,120}'|[^\s\x00]{3,120})"),
    Command(
        ("curl", "http ", "https ", "wget"),
        r"\b(?:curl|https?|wget)\b",
        r"\s(?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?[\"']?[^\s:\"'\x00]{1,80}:(?P<value>[^\s\"'\x00]{3,160})",
    ),
    Command(
        (
            "--pass",
            "--pwd",
            "--token",
            "--secret",
            "--api",
            "--auth",
            "--key",
            "-password",
            "-token",
            "-secret",
            "-pass",
        ),
        "",
        r"--(?:[a-z]{1,16}-)?(?:password|passwd|pass|pwd|token|secret|api-?key|auth-?token|key|passphrase)(?:-[a-z]{1,10})?[ =]\s{0,2}"
        r"(?P<value>\"[^\"\n\x00]{1,160}\"|'[^'\n\x00]{1,160}'|[^\s\x00-][^\s\x00]{3,300})",
    ),
    Command(("redis-cli",), r"redis-cli\b", r"\s-a\s{0,2}[\"']?(?P<value>[^\s\"'\x00]{4,120})"),
    Command(
        ("docker", "podman", "helm", "az ", "oc "),
        r"\b(?:docker|podman|helm|az|oc)\b[^\n\x00]{0,60}?\blogin\b",
        r"\s-p[ =]?[\"']?(?P<value>[^\s\"'\x00]{4,200})",
    ),
    Command(
        ("mongo", "sqlcmd", "ldap", "mosquitto", "cqlsh", "influx"),
        r"(?:mongo\w{0,8}|sqlcmd|ldap\w{0,8}|mosquitto_\w{3}|cqlsh|influx)\b",
        r"\s-(?:p|P|w)[ =]?[\"']?(?P<value>[^\s\"'\x00-][^\s\"'\x00]{3,120})",
    ),
    Command(("thin:",), "", r"thin:[\w-]{1,40}/(?P<value>[^\s@\x00]{3,80})@"),
    Command(("sqlplus",), "", r"sqlplus\s+(?:-\w\s+)?\w{1,40}/(?P<value>[^\s@\x00]{4,80})@"),
    Command(
        ("smbclient", "rpcclient"),
        r"(?:smbclient|rpcclient)\b",
        r"-U\s?[\"']?[^\s%\"'\x00]{1,60}%(?P<value>[^\s\"'\x00]{3,120})",
    ),
    Command(("net use",), r"net use\b", r"/user:[^\s\x00]{1,80}\s+(?P<value>[^\s\x00/]{4,80})"),
    Command(("pass:",), "", r"-pass(?:in|out)?\s+pass:(?P<value>[^\s\"'\x00]{3,120})"),
    Command(("sudo -s",), "", r"echo\s+[\"']?(?P<value>[^\s\"'|\x00]{4,120})[\"']?\s{0,3}\|\s{0,3}sudo -S"),
    Command(("zip ", "7z ", "rar "), r"\b(?:un)?(?:zip|7z|rar)\b", r"\s-[Pp]\s?(?P<value>[^\s\x00-][^\s\x00]{3,80})"),
    Command(
        ("chpasswd",),
        "",
        r"echo\s+[\"']?[\w.-]{1,40}:(?P<value>[^\s\"'|\x00]{4,120})[\"']?\s{0,3}\|\s{0,3}(?:sudo )?chpasswd",
    ),
    Command(
        ("htpasswd",),
        "",
        r"htpasswd\s+-\w{0,3}b\w{0,3}\s+[^\s\x00]{1,120}\s+[^\s\x00]{1,60}\s+(?P<value>[^\s\x00]{4,120})",
    ),
    Command(
        ("machine ",),
        "",
        r"machine\s+[^\s\x00]{1,120}\s+login\s+[^\s\x00]{1,120}\s+password\s+(?P<value>[^\s\x00]{3,200})",
    ),
    Command(
        ("pgpass", ":5432:"),
        "",
        r"(?<![^\s])[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:(?P<value>[^\s:\x00]{4,120})",
    ),
)


_BY_LITERAL: Final = tuple((literal, command) for command in _COMMANDS for literal in command.literals)


def find_commands(text: str, low: str) -> Iterator[Span]:
    """Passwords given to command-line programs on the same line."""
    for command in dict.fromkeys([command for literal, command in _BY_LITERAL if literal in low]):
        flag = _compiled(command.flag)
        for start, end in _lines(text, command.head):
            yield from _values(text, flag, start, end)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _lines(text: str, head: str) -> Iterator[tuple[int, int]]:
    """The rests of lines after the program's name, none twice."""
    if not head:
        yield 0, len(text)
        return
    done = 0
    for match in _compiled(head).finditer(text):
        start = max(done, match.end())
        line_end = text.find("\n", match.end(), match.end() + _REACH)
        done = max(start, line_end if line_end >= 0 else min(len(text), match.end() + _REACH))
        yield start, done


def _values(text: str, flag: re.Pattern[str], start: int, end: int) -> Iterator[Span]:
    for match in flag.finditer(text, start, end):
        first, last = match.span("value")
        while first < last and text[first] in "\"'":
            first += 1
        while last > first and text[last - 1] in "\"'),;`":
            last -= 1
        value = text[first:last]
        if last - first >= 3 and not is_placeholder(value) and value[0] not in "-/$":
            yield Span(first, last, "password")
