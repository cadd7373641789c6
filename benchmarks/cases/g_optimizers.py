"""A step of each optimiser over 200 tensors of 1,000 and 5 of a million beside PyTorch's fastest way."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import opweave
import torch
from measure import Pair, Sampler, function
from rows import add_row

Sizes = list[tuple[int, ...]]
VECTORS: Sizes = [(1_000,)] * 200 + [(10**6,)] * 5
MATRICES: Sizes = [(40, 25)] * 200 + [(1_000, 1_000)] * 5
# Few: what Muon and LBFGS do is more than a pass over memory.
FEW_MATRICES: Sizes = [(128, 64)] * 24 + [(256, 256)] * 4
NAMES = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "Adafactor"]
NAMES += ["RMSprop", "Rprop", "ASGD"]
OPTIONS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 1e-4, "momentum": 0.9},
    "LBFGS": {"lr": 1e-6, "max_iter": 4, "tolerance_grad": 0.0, "tolerance_change": 0.0},
}
WAYS: list[dict[str, bool]] = [{}, {"foreach": True}, {"fused": True}]


def _stepper(xp: Any, name: str, sizes: Sizes, **way: bool) -> Callable[[], Any]:
    parameters = [xp.nn.Parameter(xp.ones(n)) for n in sizes]
    for p in parameters:
        p.grad = xp.full(tuple(p.shape), 1e-3)
    optimizer = getattr(xp.optim, name)(parameters, **OPTIONS.get(name, {}), **way)
    step = partial(optimizer.step, lambda: 1.0) if name == "LBFGS" else optimizer.step
    step()
    return step


def _seconds(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def _fastest_of_pytorch(name: str, sizes: Sizes) -> Sampler:
    made = []
    for way in WAYS:
        try:
            made.append(_stepper(torch, name, sizes, **way))
        except (TypeError, RuntimeError):
            continue  # it has no such way
    return function(min(made, key=_seconds))


def _row(name: str, sizes: Sizes) -> Pair:
    return Pair(function(_stepper(opweave, name, sizes)), _fastest_of_pytorch(name, sizes))


for _name in NAMES:
    _said = f"step of {_name} over 205 tensors, 5.2e6 elements"
    add_row(_said, "PyTorch", 0.6, partial(_row, _name, VECTORS))
for _name in ("SGD", "Adam", "AdamW", "Adafactor"):
    _said = f"step of {_name} over 205 matrices, 5.2e6 elements"
    add_row(_said, "PyTorch", 0.6, partial(_row, _name, MATRICES))
for _name in ("Muon", "LBFGS"):
    _said = f"step of {_name} over 28 matrices, 4.6e5 elements"
    add_row(_said, "PyTorch", 0.6, partial(_row, _name, FEW_MATRICES))
