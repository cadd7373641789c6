"""A rank that reaches a limit of its system says which; the others hear of it at once, not in their time."""

import os
import resource
import time
from pathlib import Path

import opweave as ow
import pytest
from support.ranks import Ranks


def until_refused(dist, rank, size, meet, limits=None, interface=None):
    """Makes groups until one cannot be made: what was raised, and after how long."""
    if rank == 1 and interface is not None:
        os.environ["GLOO_SOCKET_IFNAME"] = interface
    began = time.monotonic()
    try:
        meet()
        dist.all_reduce(ow.ones(2))
        if rank == 1 and limits is not None:
            kind, amount = limits
            if kind == resource.RLIMIT_AS:  # beyond what it has
                amount += (
                    int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
                )
            resource.setrlimit(kind, (amount, amount))
        groups = []
        for _ in range(100):
            began = time.monotonic()
            groups.append(dist.new_group(list(range(size))))
            dist.all_reduce(ow.ones(2), group=groups[-1])
    except Exception as error:  # noqa: BLE001: which one is what is asked
        return [type(error).__name__, str(error), time.monotonic() - began]
    return None


def refused(tmp_path, **options):
    ranks = Ranks(
        until_refused, 3, tmp_path, backend="gloo", timeout=20, meets=False, **options
    ).wait()
    assert all(seconds < 3 for _, _, seconds in ranks), ranks
    return [(kind, text) for kind, text, _ in ranks]


@pytest.mark.parametrize("files", [24, 25, 30, 48])
def test_files(files, tmp_path):
    others, own, last = refused(tmp_path, limits=[resource.RLIMIT_NOFILE, files])
    assert own[0] in ("DistBackendError", "DistStoreError", "DistNetworkError")
    assert own[1].endswith(f"Too many open files; this process may have {files} (ulimit -n)"), own
    for kind, text in (others, last):
        assert kind == "DistBackendError"
        assert "rank 1" in text, text


def test_threads(tmp_path):
    """Stacks need memory that the process may not have."""
    ranks = refused(tmp_path, limits=[resource.RLIMIT_AS, 150 << 20])
    for kind, text in ranks:
        assert kind in ("DistBackendError", "OutOfMemoryError", "DistStoreError", "MemoryError"), (
            text
        )
    assert any("rank 1" in text for _, text in (ranks[0], ranks[2])), ranks


def test_the_first_group_tells_why_as_well(tmp_path):
    said = "GLOO_SOCKET_IFNAME=eth99: this host has no such interface with an address; it has lo"
    for kind, text in refused(tmp_path, interface="eth99"):
        assert kind == "DistBackendError"
        assert said in text, text
