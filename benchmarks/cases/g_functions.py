"""Functions between the elementwise and the layers, whose time is their geometry: reading and counting at
indices, windows, pairs, sorting, sums of rows. A row each, side by side with PyTorch."""

from collections.abc import Callable
from typing import Any

import opweave
import torch
from measure import Pair, function
from rows import add_row

Made = Callable[[Any], Callable[[], Any]]


def _einsum(xp: Any) -> Callable[[], Any]:
    a, b = xp.randn(16, 128, 64), xp.randn(16, 128, 64)
    return lambda: xp.einsum("bij,bij->bi", a, b)


def _small_products(xp: Any) -> Callable[[], Any]:
    a, b = xp.randn(64, 16, 16), xp.randn(64, 16, 16)
    return lambda: xp.bmm(a, b)


def _bags(xp: Any) -> Callable[[], Any]:
    words, table = xp.randint(0, 10_000, (512, 50)), xp.randn(10_000, 64)
    return lambda: xp.nn.functional.embedding_bag(words, table, mode="sum")


def _bags_trained(xp: Any) -> Callable[[], Any]:
    words, table = xp.randint(0, 10_000, (512, 50)), xp.randn(10_000, 64).requires_grad_()

    def step() -> None:
        table.grad = None
        xp.nn.functional.embedding_bag(words, table, mode="sum").sum().backward()

    return step


def _grid(xp: Any) -> Callable[[], Any]:
    images, grid = xp.randn(8, 16, 64, 64), xp.rand(8, 64, 64, 2) * 2 - 1
    return lambda: xp.nn.functional.grid_sample(images, grid, align_corners=False)


def _resized(xp: Any) -> Callable[[], Any]:
    images = xp.randn(8, 16, 64, 64)
    return lambda: xp.nn.functional.interpolate(images, scale_factor=2, mode="bilinear")


def _padded(xp: Any) -> Callable[[], Any]:
    images = xp.randn(8, 16, 64, 64)
    return lambda: xp.nn.functional.pad(images, (3, 3, 3, 3), mode="reflect")


def _distances(xp: Any) -> Callable[[], Any]:
    points = xp.randn(500, 16)
    return lambda: xp.pdist(points)


def _counts(xp: Any) -> Callable[[], Any]:
    values = xp.randint(0, 1000, (1_000_000,))
    return lambda: xp.bincount(values)


def _runs(xp: Any) -> Callable[[], Any]:
    values = xp.randint(0, 10, (1_000_000,)).sort()[0]
    return lambda: xp.unique_consecutive(values)


def _largest(k: int, *sizes: int, whole: bool = False) -> Made:
    def make(xp: Any) -> Callable[[], Any]:
        values = xp.randint(-1_000_000, 1_000_000, sizes) if whole else xp.randn(*sizes)
        return lambda: values.topk(k)

    return make


def _added_rows(xp: Any) -> Callable[[], Any]:
    rows, index = xp.randn(50_000, 64), xp.randint(0, 1000, (50_000,))
    return lambda: xp.zeros(1000, 64).index_add(0, index, rows)


def _chosen_columns(xp: Any) -> Callable[[], Any]:
    table, index = xp.randn(1000, 1000), xp.randint(0, 1000, (500,))
    return lambda: table.index_select(1, index)


FUNCTIONS: dict[str, Made] = {
    "einsum of row products, 16x128x64": _einsum,
    "bmm of 64 products of 16x16": _small_products,
    "embedding_bag, 512 bags of 50, width 64": _bags,
    "the same, forward and backward": _bags_trained,
    "grid_sample, bilinear, 8x16x64x64": _grid,
    "interpolate to twice the size, bilinear, 8x16x64x64": _resized,
    "pad by reflection, 8x16x64x64": _padded,
    "pdist of 500 points of 16": _distances,
    "bincount of 1e6": _counts,
    "unique_consecutive of 1e6": _runs,
    "index_add of 50000 rows of 64": _added_rows,
    "index_select of 500 columns of 1000x1000": _chosen_columns,
}


# Whose goal is half of PyTorch's time.
IN_HALF: dict[str, Made] = {
    "topk(10) of 1000x1000": _largest(10, 1000, 1000),
    "topk(10) of 1000x1000 in int64": _largest(10, 1000, 1000, whole=True),
    "topk(10) of 1e6": _largest(10, 1_000_000),
    "topk(100) of 1e6": _largest(100, 1_000_000),
}


def _both(make: Made) -> Callable[[], Pair]:
    return lambda: Pair(function(make(opweave)), function(make(torch)))


for _name, _make in FUNCTIONS.items():
    add_row(_name, "PyTorch", 1.0, _both(_make))
for _name, _make in IN_HALF.items():
    add_row(_name, "PyTorch", 0.5, _both(_make))
