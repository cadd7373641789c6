"""Training of one model by several processes on this host, beside PyTorch's over gloo."""

from measure import Pair
from ranks import Ranks
from rows import add_row

RANKS = 2


def _row(model: str, name: str, backend: str, medium: str, goal: float) -> None:
    def prepare() -> Pair:
        ours, theirs = Ranks("opweave", backend, RANKS), Ranks("torch", "gloo", RANKS)
        return Pair(ours.sampler(model, 0), theirs.sampler(model, 0))

    add_row(f"data-parallel step of {name}, {RANKS} ranks, {medium}", "PyTorch", goal, prepare)


_row("mlp", "an MLP 784-512-512-10, batch 64, Adam", "shm", "shm", 0.7)
_row("cnn", "the quickstart's CNN, batch 64, Adam", "shm", "shm", 0.7)
_row("mlp", "an MLP 784-512-512-10, batch 64, Adam", "gloo", "TCP", 1)
