"""A step of each optimiser over 200 tensors of 1,000 and 5 of a million beside PyTorch's fastest way."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import opweave
import torch
from measure import Pair, Sampler, function
from rows import add_row

SIZES = [1_000] * 200 + [10**6] * 5
NAMES = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "Adafactor"]
NAMES += ["RMSprop", "Rprop", "ASGD"]
OPTIONS: dict[str, dict[str, Any]] = {"SGD": {"lr": 1e-4, "momentum": 0.9}}
WAYS: list[dict[str, bool]] = [{}, {"foreach": True}, {"fused": True}]


def _stepper(xp: Any, name: str, **way: bool) -> Callable[[], Any]:
    parameters = [xp.nn.Parameter(xp.ones(n)) for n in SIZES]
    for p in parameters:
        p.grad = xp.full((p.numel(),), 1e-3)
    optimizer = getattr(xp.optim, name)(parameters, **OPTIONS.get(name, {}), **way)
    optimizer.step()
    return optimizer.step


def _seconds(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def _fastest_of_pytorch(name: str) -> Sampler:
    made = []
    for way in WAYS:
        try:
            made.append(_stepper(torch, name, **way))
        except (TypeError, RuntimeError):
            continue  # it has no such way
    return function(min(made, key=_seconds))


def _row(name: str) -> Pair:
    return Pair(function(_stepper(opweave, name)), _fastest_of_pytorch(name))


for _name in NAMES:
    add_row(
        f"step of {_name} over 205 tensors, 5.2e6 elements", "PyTorch", 0.6, partial(_row, _name)
    )
