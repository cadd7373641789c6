"""DataLoader with worker processes: what PyTorch 2.15 hands out, and what is said when something fails."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import worker_programs
from opweave.utils import data

pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")

RECORDED = json.loads(Path(__file__).with_name("worker_programs.json").read_text(encoding="utf-8"))


@pytest.fixture
def twister(ow):
    """PyTorch's random numbers."""
    ow.random.set_engine("mt19937")
    yield
    ow.random.set_engine("philox")


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(ow, twister, name):
    assert worker_programs.CASES[name](ow) == RECORDED[name]


class Squares(data.Dataset):
    def __init__(self, ow, n=10):
        self.table = ow.arange(n) ** 2

    def __len__(self):
        return len(self.table)

    def __getitem__(self, i):
        return self.table[i]


class Asks:
    """Calls a function of a worker for each example."""

    def __init__(self, function, n=4):
        self.function, self.n = function, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.function(i)


class LeavesAChild:
    """Example 1 ends its worker, of which a child goes on; example 0 is never ready."""

    def __len__(self):
        return 2

    def __getitem__(self, i):
        if i == 1:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)


def lists(batches):
    return [batch.tolist() for batch in batches]


# --- each argument --------------------------------------------------------------------------------
@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_multiprocessing_context(ow, context):
    loader = data.DataLoader(Squares(ow), 4, num_workers=2, multiprocessing_context=context)
    assert lists(loader) == [[0, 1, 4, 9], [16, 25, 36, 49], [64, 81]]
    assert loader.multiprocessing_context.get_start_method() == context


def test_batch_size_none(ow):
    found = list(data.DataLoader(Squares(ow, 3), None, num_workers=2))
    assert [t.item() for t in found] == [0, 1, 4]


def test_shuffle_and_generator(ow):
    def order():
        generator = ow.Generator()
        generator.manual_seed(3)
        return lists(data.DataLoader(range(9), 2, shuffle=True, num_workers=3, generator=generator))

    assert order() == order()
    assert sorted(i for batch in order() for i in batch) == list(range(9))


def test_samplers(ow):
    assert lists(data.DataLoader(range(9), 2, sampler=[5, 3, 1], num_workers=2)) == [[5, 3], [1]]
    batches = [[1], [2, 3], [], [4]]
    loader = data.DataLoader(range(9), batch_sampler=batches, num_workers=2, collate_fn=list)
    assert list(loader) == batches


def test_drop_last(ow):
    assert lists(data.DataLoader(range(5), 2, drop_last=True, num_workers=2)) == [[0, 1], [2, 3]]


def test_collate_fn(ow):
    assert list(data.DataLoader(range(5), 2, num_workers=2, collate_fn=sum)) == [1, 5, 4]


def test_worker_init_fn(ow):
    told = []

    def init(i):
        told.append(i)

    loader = data.DataLoader(
        Asks(lambda i: list(told)), 1, num_workers=2, worker_init_fn=init, collate_fn=list
    )
    assert list(loader) == [[[0]], [[1]], [[0]], [[1]]]
    assert told == []


def test_worker_init_fn_that_raises(ow):
    def init(i):
        if i == 1:
            raise ValueError("no shard")

    loader = data.DataLoader(range(4), num_workers=2, worker_init_fn=init)
    batches = iter(loader)
    assert next(batches).tolist() == [0]
    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process 1"):
        next(batches)


def test_prefetch_factor(ow, tmp_path):
    def touch(i):
        (tmp_path / str(i)).touch()
        return i

    batches = iter(data.DataLoader(Asks(touch, 20), 1, num_workers=2, prefetch_factor=3))
    eventually(lambda: len(list(tmp_path.iterdir())) == 6)
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) == 6
    next(batches)
    eventually(lambda: len(list(tmp_path.iterdir())) == 7)


def test_prefetch_factor_0(ow):
    loader = data.DataLoader(range(4), num_workers=2, prefetch_factor=0)
    expected = r"prefetch_factor must be greater than 0 .*num_workers=2.* got prefetch_factor=0"
    with pytest.raises(AssertionError, match=expected):
        iter(loader)


def test_persistent_workers(ow):
    loader = data.DataLoader(Asks(lambda i: os.getpid()), 2, num_workers=2, persistent_workers=True)
    passes = [lists(loader) for _ in range(3)]
    assert passes[0] == passes[1] == passes[2]
    # One that was left in the middle begins anew as well.
    next(iter(loader))
    assert lists(loader) == passes[0]
    other = data.DataLoader(Asks(lambda i: os.getpid()), 2, num_workers=2)
    assert lists(other) != lists(other)


def test_persistent_workers_of_a_stream(ow):
    class Three(data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    loader = data.DataLoader(Three(), 2, num_workers=2, persistent_workers=True)
    assert lists(loader) == lists(loader) == [[0, 1], [0, 1], [2], [2]]


def test_timeout(ow):
    loader = data.DataLoader(Asks(lambda i: time.sleep(i * 60)), num_workers=1, timeout=0.5)
    batches = iter(data.DataLoader(Asks(slow), num_workers=1, timeout=0.5))
    assert next(batches).tolist() == [0]
    with pytest.raises(RuntimeError, match=r"^DataLoader timed out after 0.5 seconds$"):
        next(batches)
    assert loader.timeout == 0.5


def slow(i):
    if i:
        time.sleep(60)
    return i


def test_in_order(ow):
    def first_is_late(i):
        if i == 0:
            time.sleep(1)
        return i

    options = {"batch_size": None, "num_workers": 2}
    assert list(data.DataLoader(Asks(first_is_late), **options)) == [0, 1, 2, 3]
    found = list(data.DataLoader(Asks(first_is_late), **options, in_order=False))
    assert found[0] == 1
    assert sorted(found) == [0, 1, 2, 3]


def test_pin_memory_without_an_accelerator(ow):
    with pytest.warns(UserWarning, match="no accelerator is found"):
        loader = iter(data.DataLoader(Squares(ow), 5, num_workers=1, pin_memory=True))
    assert lists(loader) == [[0, 1, 4, 9, 16], [25, 36, 49, 64, 81]]


def test_worker_info(ow):
    def told(i):
        info = data.get_worker_info()
        return info.id, info.num_workers, type(info.dataset).__name__, info.worker_method

    assert data.get_worker_info() is None
    loader = data.DataLoader(Asks(told, 2), None, num_workers=2)
    assert list(loader) == [[i, 2, "Asks", "multiprocessing"] for i in range(2)]


# --- what travels ---------------------------------------------------------------------------------
def test_batches_are_in_shared_memory(ow):
    examples = [(ow.full((50, 50), float(i)), {"label": i, "name": str(i)}) for i in range(6)]
    for images, rest in data.DataLoader(examples, 3, num_workers=2):
        assert images.is_shared()
        assert images.mean((1, 2)).tolist() == rest["label"].tolist()
        assert rest["name"] == [str(i) for i in rest["label"].tolist()]
        images.add_(1)


def test_what_a_worker_has_shared_is_not_copied(ow):
    table = ow.zeros(1000, 10).share_memory_()
    loader = data.DataLoader(table, None, num_workers=1)
    rows = list(loader)
    assert rows[3].data_ptr() == table[3].data_ptr()
    rows[3].fill_(7)
    assert table[3].tolist() == [7] * 10


@pytest.mark.parametrize("size", [0, 1, 1000, 100_000])
def test_tensors_of_any_kind(ow, size):
    floats = ow.arange(size, dtype=ow.float64)
    example = {
        "strided": ow.arange(2 * size)[::2],
        "views": (floats, floats[size // 2 :]),
        "parameter": ow.nn.Parameter(ow.ones(size)),
        "bfloat16": ow.ones(size, dtype=ow.bfloat16),
        "bytes": b"x" * size,
        "array": np.arange(size, dtype=np.uint16),
        "meta": ow.empty(size, device="meta"),
    }
    (found,) = data.DataLoader([example], None, num_workers=1, collate_fn=lambda e: e)
    assert found["strided"].tolist() == list(range(0, 2 * size, 2))
    assert found["views"][1].tolist() == list(range(size // 2, size))
    assert type(found["parameter"]) is ow.nn.Parameter
    assert found["parameter"].requires_grad
    assert found["bfloat16"].dtype is ow.bfloat16
    assert found["bytes"] == example["bytes"]
    assert (found["array"] == example["array"]).all()
    assert found["meta"].is_meta
    assert found["meta"].shape == (size,)


def test_many_tensors_in_one_example(ow):
    examples = [[ow.full((2000,), float(i)) for i in range(500)]] * 2
    for found in data.DataLoader(examples, None, num_workers=1):
        assert [t[-1].item() for t in found] == list(range(500))


def test_a_large_list_of_indices(ow):
    assert (
        lists(data.DataLoader(range(60_000), 30_000, num_workers=2, prefetch_factor=20))[1][-1]
        == 59_999
    )


# --- what goes wrong ------------------------------------------------------------------------------
class RefusalError(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("bad"), StopIteration("bad")])
def test_a_traceback_of_a_worker(ow, error):
    def fail(i):
        if i == 1:
            raise error
        return i

    batches = iter(data.DataLoader(Asks(fail), num_workers=2))
    assert next(batches).tolist() == [0]
    with pytest.raises(type(error)) as caught:
        next(batches)
    name = type(error).__name__
    start = f"Caught {name} in DataLoader worker process 1.\nOriginal Traceback (most recent call last):"
    assert str(caught.value).startswith(start)
    assert "in fail\n    raise error" in str(caught.value)
    assert next(batches).tolist() == [2]


def test_an_exception_that_cannot_be_made_of_a_text(ow):
    def fail(i):
        raise RefusalError(1, 2)

    with pytest.raises(RuntimeError, match="Caught RefusalError in DataLoader worker process 0"):
        next(iter(data.DataLoader(Asks(fail), num_workers=1)))


def test_an_exception_whose_class_cannot_be_sent(ow):
    class LocalError(Exception):
        pass

    def fail(i):
        raise LocalError("no such file")

    with pytest.raises(RuntimeError, match=r"Caught RuntimeError(.|\n)*LocalError: no such file"):
        next(iter(data.DataLoader(Asks(fail), num_workers=1)))


def test_results_of_a_graph_are_refused(ow):
    weight = ow.ones(3, requires_grad=True)
    loader = data.DataLoader(Asks(lambda i: weight * i), None, num_workers=1)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        next(iter(loader))


def test_what_cannot_be_pickled(ow):
    loader = data.DataLoader(Asks(lambda i: lambda: i), None, num_workers=1)
    with pytest.raises(AttributeError, match="Can't pickle local object"):
        next(iter(loader))


def refuse_here():
    raise ValueError("not in this process")


class Unreadable:
    def __reduce__(self):
        return refuse_here, ()


def test_what_cannot_be_read_by_the_program(ow):
    examples = [Unreadable(), 2]
    batches = iter(data.DataLoader(examples, None, num_workers=1))
    with pytest.raises(ValueError, match="not in this process"):
        next(batches)
    assert next(batches) == 2


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by SIGKILL"),
        (lambda: os._exit(3), "ended with status 3"),
    ],
)
def test_a_worker_that_ends_is_named_within_a_second(ow, end, how):
    def die(i):
        if i == 1:
            end()
        time.sleep(30 if i == 0 else 0)
        return i

    batches = iter(data.DataLoader(Asks(die), num_workers=2))
    began = time.monotonic()
    expected = (
        rf"DataLoader worker \(pid\(s\) (\d+)\) exited unexpectedly: worker 1 \(pid \1\) {how}"
    )
    with pytest.raises(RuntimeError, match=expected):
        next(batches)
    assert time.monotonic() - began < 1 + os.getloadavg()[0]
    for process in batches._workers:
        process.kill()


@pytest.mark.parametrize("context", ["fork", "forkserver"])
def test_a_worker_that_is_killed_while_its_child_lives(ow, context):
    batches = iter(data.DataLoader(LeavesAChild(), num_workers=2, multiprocessing_context=context))
    began = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker 1 .* was killed by SIGKILL"):
        next(batches)
    del batches
    assert time.monotonic() - began < 10 + os.getloadavg()[0]  # the child lives for a minute


def test_a_worker_that_is_killed_between_two_batches(ow):
    loader = data.DataLoader(range(100), num_workers=2, persistent_workers=True)
    batches = iter(loader)
    next(batches)
    batches._workers[0].kill()
    batches._workers[0].join()
    with pytest.raises(RuntimeError, match=r"worker 0 .* was killed by SIGKILL"):
        list(batches)
    with pytest.raises(RuntimeError, match=r"worker 0 .* was killed by SIGKILL"):
        list(loader)


# --- what is left behind --------------------------------------------------------------------------
def eventually(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_no_process_and_no_file_is_left(ow):
    loader = data.DataLoader(Squares(ow, 100), 2, num_workers=2)
    lists(loader)
    before = open_files()
    for _ in range(5):
        lists(loader)
        batches = iter(loader)
        processes = batches._workers
        next(batches)
        del batches
        assert not any(process.is_alive() for process in processes)
        del processes
    assert open_files() == before


PROGRAM = """
import os, sys, time
import opweave as ow
from opweave.utils import data

class Slow(data.Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, i):
        if i > 3:
            time.sleep({pause})
        return ow.zeros(100_000)

if __name__ == "__main__":
    batches = iter(data.DataLoader(Slow(), 1, num_workers=2, multiprocessing_context={context!r}))
    next(batches)
    print(*(p.pid for p in batches._workers), flush=True)
    for batch in batches:
        pass
"""


def start(tmp_path, **options):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(**options))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    return process, [int(pid) for pid in process.stdout.readline().split()]


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("pause", [0.01, 600])
def test_kill_9_of_the_program_leaves_no_process(tmp_path, context, pause):
    process, workers = start(tmp_path, context=context, pause=pause)
    assert len(workers) == 2
    process.kill()
    process.communicate()
    eventually(lambda: not any(is_running(pid) for pid in workers))


@pytest.mark.parametrize("pause", [0.01, 600])
def test_an_interrupt_ends_all_and_is_said_once(tmp_path, pause):
    process, workers = start(tmp_path, context="fork", pause=pause)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said.count("KeyboardInterrupt") == 1
    assert "Traceback" in said
    eventually(lambda: not any(is_running(pid) for pid in workers))


def test_the_program_s_own_random_numbers_stay_its_own(ow):
    random.seed(1)
    expected = random.random()
    random.seed(1)
    lists(data.DataLoader(range(4), num_workers=2))
    assert random.random() == expected
