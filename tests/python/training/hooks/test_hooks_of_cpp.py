"""A communication hook that a library of C++ brings."""

import importlib.util
import os

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run


def doubled(dist, rank, size, path):
    spec = importlib.util.spec_from_file_location("doubling_hook", path)
    doubling_hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(doubling_hook)
    found = []
    for hook in (doubling_hook.make(), None):
        ow.manual_seed(1)
        model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2), bucket_cap_mb=0.00001)
        if hook is not None:
            model.register_comm_hook(None, hook)
        model(ow.full((2, 3), rank + 1.0)).sum().backward()
        found.append([v for p in model.parameters() for v in p.grad.flatten().tolist()])
    texts = []
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
    for state, other in ((3, doubling_hook.make()), (None, ow.ones(1).__dlpack__())):
        with pytest.raises(ValueError, match="register_comm_hook: ") as caught:
            model.register_comm_hook(state, other)
        texts.append(str(caught.value))
    return [*found, *texts]


def test_a_hook_of_cpp(tmp_path):
    path = os.path.abspath(os.environ["DOUBLING_HOOK"])
    first, second = run(doubled, 2, tmp_path, path=path)
    assert first == second
    twice, once, state, capsule = first
    assert twice == [2 * v for v in once]
    assert state == ("register_comm_hook: state: a hook of C++ has its own: expected None, got int")
    assert capsule == (
        "register_comm_hook: hook: expected a capsule named 'opweave::distributed::CommHook', got 'dltensor'"
    )
