"""The networks whose training is timed, made of the layers of whichever library is given."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

BATCH = 64
MODEL = Path(__file__).parents[1] / "examples/digits/model.py"


def mlp(xp) -> tuple[Any, Any]:
    """784-512-512-10, and a batch."""
    xp.manual_seed(0)
    nn = xp.nn
    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    return model, xp.randn(BATCH, 784)


def cnn(xp) -> tuple[Any, Any]:
    """The quickstart's, with relu, which both libraries have; its own activation only one has."""
    xp.manual_seed(0)
    return _digit_net(xp)(xp.relu), xp.randn(BATCH, 1, 8, 8)


def deep(xp) -> tuple[Any, Any]:
    """Nine layers of about 512 to 512, and a batch with which computing takes a third of communicating."""
    xp.manual_seed(0)
    nn = xp.nn
    layers = [layer for _ in range(8) for layer in (nn.Linear(512, 512), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(512, 10)), xp.randn(1024, 512)


def _digit_net(xp):
    """The class that the quickstart trains."""
    spec = importlib.util.spec_from_file_location(f"digit_net_{xp.__name__}", MODEL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(sys.modules, {"opweave": xp, "opweave.nn": xp.nn}):
        spec.loader.exec_module(module)
    return module.DigitNet


def step(xp, model, inputs, wrap: Callable[[Any], Any] = lambda made: made) -> Callable[[], None]:
    """Forward, loss, backward and an update of Adam, perhaps wrapped, on one fixed batch of ten classes."""
    targets = xp.arange(len(inputs)) % 10
    optimizer = wrap(xp.optim.Adam(model.parameters(), lr=1e-3))
    cross_entropy = xp.nn.functional.cross_entropy

    def run() -> None:
        optimizer.zero_grad()
        cross_entropy(model(inputs), targets).backward()
        optimizer.step()

    return run


def nbytes(xp, make) -> int:
    """Of the gradients."""
    return sum(4 * p.numel() for p in make(xp)[0].parameters())


def compress(xp, parallel, how: str) -> None:
    """Gives it the hook; rank 2 of powerSGD from the second step on, a tenth of topk."""
    hooks = importlib.import_module(
        f"{xp.__name__}.distributed.algorithms.ddp_comm_hooks.{how}_hook"
    )
    if how == "powerSGD":
        state = hooks.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2)
    else:
        state = hooks.TopKState(None)
    parallel.register_comm_hook(state, getattr(hooks, f"{how}_hook"))
