"""What a plan foresees of a data-parallel step here, against what is measured, and the other way round."""

import os
from pathlib import Path

from measure import Pair, Sampler
from opweave.distributed.plan import host_links, profile_at_once, step_seconds
from ranks import Ranks
from rows import add_row

MODEL = Path(__file__).parents[1] / "foreseen.py"
STEPS = 100
OFF = 1.15


def _row(model: str, name: str, ranks: int, foreseen_first: bool) -> None:
    def prepare() -> Pair:
        measured = Ranks("opweave", "shm", ranks).sampler(model, 0)

        def foreseen(runs: int) -> float:
            os.environ["MODEL"] = model
            os.environ["OMP_NUM_THREADS"] = "1"
            profile = profile_at_once(MODEL, ranks, STEPS)
            return step_seconds(profile, ranks, host_links(ranks)) * runs

        first, second = _order(foreseen, measured, foreseen_first)
        return Pair(first, second)

    what, against = ("foreseen", "measured") if foreseen_first else ("measured", "foreseen")
    add_row(f"step of {name}, {ranks} ranks, as {what}", against, OFF, prepare)


def _order(foreseen: Sampler, measured: Sampler, foreseen_first: bool) -> tuple[Sampler, Sampler]:
    return (foreseen, measured) if foreseen_first else (measured, foreseen)


for _ranks in (2, 4):
    for _model, _name in {"mlp": "the MLP", "cnn": "the CNN"}.items():
        for _first in (True, False):
            _row(_model, _name, _ranks, _first)
