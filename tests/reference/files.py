"""Objects that PyTorch has saved in data/files, and that are made here again, by either module.

Each is a function of the module. Values are small numbers that every dtype has; nothing is random.
"""

import collections
import json
from pathlib import Path

from reference.dtypes import DTYPES

FOLDER = Path(__file__).parent / "data" / "files"


def _sequence(m, *sizes, dtype="float32"):
    count = 1
    for size in sizes:
        count *= size
    return (m.arange(count) % 7).to(getattr(m, dtype)).reshape(sizes)


def dtypes(m):
    """A tensor of each dtype, and the dtypes."""
    tensors = {name: _sequence(m, 5, dtype=name) for name in DTYPES}
    return {"tensors": tensors, "dtypes": [getattr(m, name) for name in DTYPES]}


def views(m):
    """Views of one storage, of which not all begins where it does."""
    base = _sequence(m, 4, 6)
    return {
        "base": base,
        "row": base[1],
        "column": base[:, 2],
        "transposed": base.t(),
        "expanded": base[:, :1].expand(4, 3),
        "empty": base[4:],
        "scalar": base[3, 5],
    }


def containers(m):
    """What Python has beside tensors."""
    return {
        "numbers": [0, -1, 255, 65536, -(2**40), 10**30, 0.5, float("inf"), True, None],
        "text": ["", "a", "ü", "x" * 300],
        "bytes": b"\x00\xff" * 200,
        "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "set": {1, 2, "x"},
        "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
        "counter": collections.Counter("abca"),
        "size": m.Size([2, 3]),
        "device": m.device("cpu"),
        ("a", 1): "a key that is a tuple",
    }


def parameters(m):
    """Parameters, gradients asked for, and attributes."""
    named = m.nn.Parameter(_sequence(m, 2, 2))
    named.role = "weight"
    tensor = _sequence(m, 3)
    tensor.note = [1, 2]
    fixed = m.nn.Parameter(_sequence(m, 2), requires_grad=False)
    return {
        "named": named,
        "tensor": tensor,
        "fixed": fixed,
        "leaf": _sequence(m, 2).requires_grad_(),
    }


def _filled(m):
    model = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.BatchNorm1d(4), m.nn.Linear(4, 2))
    with m.no_grad():
        for parameter in model.parameters():
            parameter.copy_(_sequence(m, *parameter.shape) * 0.125)
    return model


def state_dict(m):
    """The state of a small model, with its metadata."""
    return _filled(m).state_dict()


def training(m):
    """What a program saves to go on later: model, optimiser, epoch."""
    model = _filled(m)
    optimizer = m.optim.SGD(model.parameters(), lr=0.25, momentum=0.5)
    for parameter in model.parameters():
        parameter.grad = m.ones_like(parameter)
    optimizer.step()
    return {
        "epoch": 3,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "loss": 0.5,
    }


def module(m):
    """A whole module."""
    return _filled(m)


def meta(m):
    """Tensors without data."""
    return [m.empty(3, 4, device="meta"), m.empty(2, dtype=m.int64, device="meta")]


OBJECTS = {
    function.__name__: function
    for function in (dtypes, views, containers, parameters, state_dict, training, module, meta)
}


def recorded(name):
    """PyTorch's answers of a table, by the names of its cases."""
    return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())
