"""Collectives of processes on this host over TCP, ours and PyTorch's over its gloo."""

from measure import Pair
from ranks import Ranks
from rows import add_row

# "4 B" and so on.
SIZES = {"4 B": 4, "1 MiB": 2**20, "100 MiB": 100 * 2**20}


def _over_tcp(ranks: int, size: str) -> None:
    def prepare() -> Pair:
        ours, theirs = Ranks("opweave", "gloo", ranks), Ranks("torch", "gloo", ranks)
        nbytes = SIZES[size]
        return Pair(ours.sampler("all_reduce", nbytes), theirs.sampler("all_reduce", nbytes))

    add_row(f"all_reduce of {size}, {ranks} ranks, TCP", "PyTorch", 1, prepare)


for _ranks in (2, 4):
    for _size in SIZES:
        _over_tcp(_ranks, _size)
