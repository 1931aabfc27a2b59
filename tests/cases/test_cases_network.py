"""CASE 37: no socket but to the endpoints that were configured, and a life without any network at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

#: A life with the defaults: writes, upkeep, a served page, REST and MCP. Prints what Python was asked to reach and, in
#: a network of its own, how often the system found no way for a packet; then the same after one step outside.
LIFE = """
import fcntl, json, socket, struct, sys

asked, alone = [], "alone" in sys.argv
if alone:  # the loopback of a new network is down: SIOCSIFFLAGS, IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))

def note(event, told):
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        asked.append(repr(told[1]))
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        asked.append(repr(told[0]))

def say():
    lines = [line.split() for line in open("/proc/net/snmp") if line.startswith("Ip:")] if alone else [[], []]
    print(json.dumps({"asked": asked, "lost": int(dict(zip(*lines)).get("OutNoRoutes", 0))}))

sys.addaudithook(note)
import httpx2
from retentive import Memory
from served_pages import served

with Memory.open(sys.argv[1]) as memory:
    mine = memory.scope(user_id="alice")
    mine.remember("Prefers aisle seats")
    mine.record([{"content": "I live in Porto. My sister Anna is a doctor."}], session_id="s1")
    mine.end_session("s1")
    memory.process()
    memory.consolidate(), memory.retain(), memory.verify(), memory.doctor()
    assert mine.recall("which seats?").hits and mine.block("seats").text
    with served(memory) as url:
        for path in ("/", "/memories?user_id=alice", "/recall?user_id=alice&q=seats", "/v1/memories?user_id=alice"):
            assert httpx2.get(url + path).status_code == 200, path
        ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"accept": "application/json, text/event-stream"}
        assert httpx2.post(url + "/mcp?user_id=alice", json=ask, headers=accept).status_code < 500
say()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
    outward.connect_ex(("192.0.2.1", 9))
say()
"""


def alone() -> tuple[str, ...]:
    """What starts a program in a network of its own, where the system lets us make one."""
    unshare = shutil.which("unshare")
    works = (
        unshare is not None
        and not subprocess.run([unshare, "-rn", "true"], check=False, capture_output=True).returncode
    )
    return (str(unshare), "-rn") if works else ()


def outside(told: dict[str, Any]) -> list[str]:
    """What was asked of addresses that are not this machine's own."""
    return [address for address in told["asked"] if not address.startswith(("'127.0.0.1'", "('127.0.0.1', "))]


def test_case_37_nothing_speaks_to_anybody_outside_nor_needs_to(tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("RETENTIVE_")}
    environment = {**ours, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    before = alone()
    command = [*before, sys.executable, "-c", LIFE, str(tmp_path / "memory.db"), *(["alone"] if before else [])]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    lived, leaked = map(json.loads, ran.stdout.splitlines()[-2:])
    assert lived["asked"]  # its own clients were seen
    assert (outside(lived), lived["lost"]) == ([], 0)
    assert (outside(leaked), leaked["lost"] > 0) == (["('192.0.2.1', 9)"], bool(before))  # and so is what leaks
