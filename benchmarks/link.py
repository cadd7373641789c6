"""Two hosts on this machine, which are namespaces of the network, and a slow cable between them."""

import atexit
import ctypes
import os
import subprocess
from functools import cache
from pathlib import Path

# Each host's end of the cable and address.
HOSTS = [f"owbench{os.getpid()}{letter}" for letter in "ab"]
ENDS = ["cable0", "cable1"]
ADDRESSES = ["10.98.0.1", "10.98.0.2"]
CLONE_NEWNET = 0x40000000


def _done(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _remove() -> None:
    for host in HOSTS:
        _done("ip", "netns", "del", host)


@cache
def lay(rate: str) -> list[str]:
    """The hosts' names; RuntimeError where this machine allows none. `rate` is one of tc's, each way."""
    atexit.register(_remove)
    made = all(_done("ip", "netns", "add", host) for host in HOSTS) and _done(
        *("ip", "link", "add", ENDS[0], "netns", HOSTS[0]),
        *("type", "veth", "peer", "name", ENDS[1], "netns", HOSTS[1]),
    )
    for host, end, address in zip(HOSTS, ENDS, ADDRESSES, strict=True):
        bucket = ("rate", rate, "burst", "128kb", "latency", "100ms")
        made = (
            made
            and _done("ip", "-n", host, "link", "set", "lo", "up")
            and _done("ip", "-n", host, "addr", "add", f"{address}/24", "dev", end)
            and _done("ip", "-n", host, "link", "set", end, "up")
            and _done("tc", "-n", host, "qdisc", "add", "dev", end, "root", "tbf", *bucket)
        )
    if not made:
        raise RuntimeError("namespaces of the network or limits of their links are not allowed")
    return HOSTS


def move_to(host: str, end: str) -> None:
    """Puts this process there, to speak over `end`. Of one thread, and before it has any connection."""
    os.environ["GLOO_SOCKET_IFNAME"] = end
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", host).open() as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot go to {host}")
