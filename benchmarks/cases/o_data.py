"""Batches of 64 pictures of 3x224x224 bytes from a DataLoader: a pass over 20 of them."""

from functools import partial
from typing import Any

import opweave
import opweave.utils.data
import torch
import torch.utils.data
from measure import Pair, Sampler, function
from rows import add_row

BATCH, BATCHES = 64, 20


class _Pictures:
    """As many as there are in two batches, again and again."""

    def __init__(self, xp: Any) -> None:
        self.pictures = [xp.full((3, 224, 224), i, dtype=xp.uint8) for i in range(2 * BATCH)]

    def __len__(self) -> int:
        return BATCH * BATCHES

    def __getitem__(self, i: int) -> Any:
        return self.pictures[i % (2 * BATCH)]


def _passes(xp: Any, workers: int) -> Sampler:
    loader = xp.utils.data.DataLoader(
        _Pictures(xp), BATCH, num_workers=workers, persistent_workers=workers > 0
    )

    def take_all() -> None:
        for batch in loader:
            assert batch.shape[0] == BATCH

    return function(take_all)


def _row(workers: int) -> Pair:
    return Pair(_passes(opweave, workers), _passes(torch, workers))


add_row("DataLoader, 0 workers, 20 batches of 9.6 MB", "PyTorch", 0.6, partial(_row, 0))
add_row("DataLoader, 2 workers, 20 batches of 9.6 MB", "PyTorch", 0.8, partial(_row, 2))
