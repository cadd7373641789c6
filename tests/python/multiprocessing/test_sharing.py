"""Tensors that processes share: through queues, pipes and arguments, by every way of starting a process."""

import multiprocessing
import os
import pickle
import resource
import subprocess
import sys

import numpy as np
import opweave.multiprocessing as mp
import pytest
from opweave.multiprocessing import reductions

METHODS = ["fork", "spawn", "forkserver"]


def test_names_of_the_standard_library(ow):
    assert ow.multiprocessing is mp
    assert set(multiprocessing.__all__) <= set(mp.__all__)
    assert mp.Queue == multiprocessing.Queue


@pytest.mark.parametrize("shape", [(), (0,), (3,), (100, 100)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "int64"])
def test_share_memory(ow, shape, dtype):
    t = ow.ones(shape, dtype=getattr(ow, dtype))
    part = t[:1] if t.dim() else t.view(1)
    assert not t.is_shared()
    assert t.share_memory_() is t
    assert t.is_shared()
    assert part.is_shared()
    assert t.untyped_storage().is_shared()
    assert t.storage().is_shared()
    address = t.data_ptr()
    assert t.share_memory_().data_ptr() == address
    assert t.equal(ow.ones(shape, dtype=t.dtype))
    if t.numel():
        part.zero_()
        assert t.flatten()[0].item() == 0


def test_what_numpy_has_of_it_stays_there(ow):
    array = np.arange(1000.0)
    t = ow.from_numpy(array)
    seen = t.numpy()
    t.share_memory_()
    t[0] = 7
    assert seen[0] == 0
    assert array[0] == 0
    del t
    assert seen.sum() == 499500


def test_a_shared_tensor_cannot_be_resized(ow):
    with pytest.raises(RuntimeError, match="not resizable"):
        ow.ones(3).share_memory_().resize_(1000)


def test_other_devices_are_refused(ow):
    with pytest.raises((RuntimeError, NotImplementedError), match=r"meta|storage"):
        ow.empty(3, device="meta").share_memory_()


def adds_one(given, back):
    for t in iter(given.get, None):
        t.add_(1)
        back.put(t)


@pytest.mark.parametrize("method", METHODS)
def test_a_queue_carries_the_memory_itself(ow, method):
    context = mp.get_context(method)
    given, back = context.Queue(), context.Queue()
    process = context.Process(target=adds_one, args=(given, back))
    process.start()
    t = ow.zeros(5)
    views = t[1:3], t[::2]
    given.put(t)
    found = back.get(timeout=60)
    assert found.tolist() == t.tolist() == [1] * 5
    assert found.data_ptr() == t.data_ptr()
    for view in views:
        given.put(view)
        assert back.get(timeout=60).stride() == view.stride()
    assert t.tolist() == [2, 2, 3, 1, 2]
    given.put(None)
    process.join()
    assert process.exitcode == 0


def fills(tensor, parameter, empty, strided):
    tensor.fill_(1)
    parameter.data.fill_(2)
    assert parameter.requires_grad
    assert empty.numel() == 0
    strided.fill_(3)


@pytest.mark.parametrize("method", METHODS)
def test_arguments(ow, method):
    parameter, whole = ow.nn.Parameter(ow.zeros(4)), ow.zeros(4, 4)
    tensors = ow.zeros(3), parameter, ow.zeros(0), whole.t()[1:3]
    if method == "fork":  # which copies what is not shared
        for t in tensors:
            t.detach().share_memory_()
    process = mp.get_context(method).Process(target=fills, args=tensors)
    process.start()
    process.join()
    assert process.exitcode == 0
    assert tensors[0].tolist() == [1] * 3
    assert parameter.tolist() == [2] * 4
    assert whole[0].tolist() == [0, 3, 3, 0]


def test_a_graph_does_not_leave_its_process(ow):
    pipe, _ = mp.Pipe()
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        pipe.send(ow.ones(3, requires_grad=True) * 2)


def doubles(t):
    return t * 2


def test_a_pool(ow):
    with mp.get_context("fork").Pool(2) as pool:
        found = pool.map(doubles, [ow.ones(3) * i for i in range(5)])
    assert [t.sum().item() for t in found] == [0, 6, 12, 18, 24]


def trains_a_row(i, model):
    model.weight.data[i] = i + 1


def test_a_module(ow):
    model = ow.nn.Sequential(ow.nn.Linear(3, 2), ow.nn.BatchNorm1d(2))
    assert model.share_memory() is model
    assert all(t.is_shared() for t in (*model.parameters(), *model.buffers()))
    mp.spawn(trains_a_row, (model[0],), nprocs=2)
    assert model[0].weight.tolist() == [[1.0] * 3, [2.0] * 3]


def test_files_are_closed_with_their_tensors(ow):
    def count():
        return len(os.listdir("/proc/self/fd"))

    before = count()
    tensors = [ow.ones(1000).share_memory_() for _ in range(50)]
    assert count() == before + 50
    del tensors
    assert count() == before


def test_sharing_strategies(ow):
    assert mp.get_sharing_strategy() == "file_descriptor"
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        mp.set_sharing_strategy("file_system")
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        mp.set_sharing_strategy("file_descriptor")
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with pytest.raises(
        AssertionError, match=r"expected one of \['file_descriptor', 'file_system'\].*'shm'"
    ):
        mp.set_sharing_strategy("shm")


def test_too_many_files_are_said(ow):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    kept = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 8, hard))
        with pytest.raises(
            RuntimeError, match="Too many open files; each shared tensor has a file"
        ):
            kept.extend(ow.ones(3).share_memory_() for _ in range(20))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


PROGRAM = """
import multiprocessing, os, opweave as ow, opweave.multiprocessing as mp
a = ow.rand(1500, 1500)
expected = (a @ a).sum(), (a + 1).sum(), a.sort().values.sum()

def again(i):
    found = (a @ a).sum(), (a + 1).sum(), a.sort().values.sum()
    assert all(ow.allclose(x, y) for x, y in zip(found, expected)), (found, expected)
    b = ow.ones(64, 64, requires_grad=True)
    (b @ b).sum().backward()

mp.start_processes(again, nprocs=3, start_method="fork")
print("done")
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_a_child_that_is_forked_after_parallel_work_computes(threads):
    environment = os.environ | {"OMP_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=50
    )
    assert run.stdout == "done\n", run.stderr


def test_functions_of_reductions(ow):
    tensor = ow.arange(6.0)
    copied = pickle.loads(reductions.ForkingPickler.dumps(tensor.storage()))
    copied[0] = 9.0
    assert tensor[0] == 9
    assert copied.dtype == ow.float32
    place = (1, (2, 2), (2, 1), True)
    made = reductions.rebuild_tensor(ow.nn.Parameter, tensor.storage(), place)
    assert type(made) is ow.nn.Parameter
    assert made.tolist() == [[1, 2], [3, 4]]
    with open(__file__) as one, open(__file__) as other, open(os.devnull) as third:
        ids = [reductions.fd_id(file.fileno()) for file in (one, other, third)]
    assert ids[0] == ids[1] != ids[2]
    with pytest.raises(ValueError, match=r"^fd_id: fd: expected the descriptor of a file, got -36"):
        reductions.fd_id(-(2**65))
