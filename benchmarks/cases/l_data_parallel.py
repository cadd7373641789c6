"""Training of one model by several processes on this host, or on two, beside PyTorch's over gloo."""

import link
import models
import opweave
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


def _row_of_link(model: str, name: str, how: str, against: str, goal: float) -> None:
    """`against` PyTorch's step, the plain one, gradients as they come, or the larger of both parts alone."""

    def prepare() -> Pair:
        hosts = link.lay(RATE)
        ours = Ranks("opweave", "gloo", RANKS, hosts)
        if against == "PyTorch":
            theirs = Ranks("torch", "gloo", RANKS, hosts).sampler(model + how, 0)
        elif against == "without":
            theirs = ours.sampler(model, 0)
        elif against == "waiting for all":  # with buckets of the same size
            theirs = ours.sampler(model + " in 1", 0)
        elif against == "as they come":
            theirs = ours.sampler(model + " unordered", 0)
        else:
            nbytes = models.nbytes(opweave, getattr(models, model))
            alone = ours.sampler(f"{model} alone", 0), ours.sampler("all_reduce", nbytes)
            theirs = lambda runs: max(sample(runs) for sample in alone)  # noqa: E731
        return Pair(ours.sampler(model + how, 0), theirs)

    add_row(f"data-parallel step of {name}{how}, {RATE} between hosts", against, goal, prepare)


RATE = "200mbit"
# The gradients of the CNN, 0.6 MB, are one of the usual buckets, which is full when all is computed.
BUCKETS = {"mlp": "", "cnn": " in 0.3"}
for _model, _name in {"mlp": "the MLP", "cnn": "the CNN"}.items():
    _row_of_link(_model, _name, BUCKETS[_model], "the slower part", 1.05)
    _row_of_link(_model, _name, "", "PyTorch", 1)
    for _how in (" with powerSGD", " with topk"):
        _row_of_link(_model, _name, _how, "without", 1)
for _model, _name in {"mlp": "the MLP", "deep": "nine layers of 512"}.items():
    for _against in ("waiting for all", "as they come"):
        _row_of_link(_model, _name, " scheduled", _against, 1)
