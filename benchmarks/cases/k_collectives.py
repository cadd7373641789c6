"""Collectives of processes on this host, through shared memory and over TCP, beside PyTorch's gloo."""

import link
from measure import Pair
from ranks import Ranks
from rows import add_row

# "4 B" and so on.
SIZES = {"4 B": 4, "1 MiB": 2**20, "4 MiB": 2**22, "64 MiB": 64 * 2**20, "100 MiB": 100 * 2**20}
# The backend, and what goes through it.
SHM, TCP = ("shm", "shm"), ("gloo", "TCP")
MANY = 64


def _row(call: str, size: str, ranks: int, way: tuple[str, str], goal: float) -> None:
    backend, medium = way

    def prepare() -> Pair:
        ours, theirs = Ranks("opweave", backend, ranks), Ranks("torch", "gloo", ranks)
        return Pair(ours.sampler(call, SIZES[size]), theirs.sampler(call, SIZES[size]))

    add_row(f"{call} of {size}, {ranks} ranks, {medium}", "PyTorch", goal, prepare)


def _row_of_barrier(way: tuple[str, str], goal: float) -> None:
    backend, medium = way

    def prepare() -> Pair:
        ours, theirs = Ranks("opweave", backend, MANY), Ranks("torch", "gloo", MANY)
        return Pair(ours.sampler("barrier", 0), theirs.sampler("barrier", 0))

    add_row(f"barrier of {MANY} processes, {medium}", "PyTorch", goal, prepare)


def _row_of_groups(way: tuple[str, str], goal: float) -> None:
    backend, medium = way

    def prepare() -> Pair:
        ours, theirs = Ranks("opweave", backend, MANY), Ranks("torch", "gloo", MANY)
        return Pair(ours.sampler_of_groups(), theirs.sampler_of_groups())

    add_row(f"init and destroy of {MANY} processes, {medium}", "PyTorch", goal, prepare)


for _ranks in (2, 4):
    for _size, _goal_of_shm in {"4 B": 0.3, "1 MiB": 0.3, "100 MiB": 0.15}.items():
        _row("all_reduce", _size, _ranks, TCP, 1)
        _row("all_reduce", _size, _ranks, SHM, _goal_of_shm)
    for _call in ("all_gather", "reduce_scatter", "broadcast", "all_to_all"):
        for _size in ("1 MiB", "64 MiB"):
            _row(_call, _size, _ranks, SHM, 0.3)


def _row_between_hosts(size: str) -> None:
    """Two ranks on each of two hosts with a slow link."""

    def prepare() -> Pair:
        hosts = [host for host in link.lay("200mbit") for _ in range(2)]
        ours, theirs = Ranks("opweave", "gloo", 4, hosts), Ranks("torch", "gloo", 4, hosts)
        return Pair(
            ours.sampler("all_reduce", SIZES[size]), theirs.sampler("all_reduce", SIZES[size])
        )

    name = f"all_reduce of {size}, 2 ranks on each of 2 hosts, 200mbit between them"
    add_row(name, "PyTorch", 1, prepare)


def _row_behind(size: str) -> None:
    """What is urgent behind what is large: by priority beside the order of calls."""

    def prepare() -> Pair:
        ours = Ranks("opweave", "gloo", 2, link.lay("200mbit"))
        return Pair(ours.sampler("urgent", SIZES[size]), ours.sampler("queued", SIZES[size]))

    name = f"all_reduce of 4 B behind one of {size}, scheduled, 200mbit between 2 hosts"
    add_row(name, "as called", 0.5, prepare)


for _size in ("4 B", "1 MiB"):
    _row_between_hosts(_size)
_row_behind("4 MiB")
for _way, _goal in {SHM: 0.5, TCP: 0.5}.items():
    _row_of_barrier(_way, _goal)
    _row_of_groups(_way, _goal)
