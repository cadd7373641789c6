"""Collectives of Python objects, and the futures of works."""

import opweave as ow
import pytest
from support.ranks import run


def objects(dist, rank, size):
    mine = {"rank": rank, "text": "x" * 1000 * rank, "tensor": ow.arange(3) + rank, "none": None}
    everybody = [None] * size
    dist.all_gather_object(everybody, mine)
    assert [o["rank"] for o in everybody] == list(range(size))
    assert [len(o["text"]) for o in everybody] == [1000 * r for r in range(size)]
    assert [o["tensor"].tolist() for o in everybody] == [[r, r + 1, r + 2] for r in range(size)]

    gathered = [None] * size if rank == 1 else None
    dist.gather_object((rank, "a"), gathered, dst=1)
    assert gathered == ([(r, "a") for r in range(size)] if rank == 1 else None)

    shared = [3, "three", {3}] if rank == 0 else [None] * 3
    dist.broadcast_object_list(shared)
    assert shared == [3, "three", {3}]
    empty = []
    dist.broadcast_object_list(empty)

    part = [None, "stays"]
    dist.scatter_object_list(part, [[r] * r for r in range(size)] if rank == 0 else None)
    assert part == [[rank] * rank, "stays"]

    if rank == 0:
        dist.send_object_list([1, "two"], dst=1)
        dist.send_object_list([], dst=1)
    if rank == 1:
        two = [None, None]
        assert dist.recv_object_list(two) == 0
        assert two == [1, "two"]
        assert dist.recv_object_list([], src=0) == 0


@pytest.mark.parametrize("size", [2, 3])
def test_objects(size, tmp_path):
    run(objects, size, tmp_path)


class Local:
    """A class of the user's own, which other ranks have too."""


def trusted_alone(dist, rank, size):
    safe = [None] * size
    dist.all_gather_object(
        safe, {"w": ow.ones(2), "s": (1, 2.5, "x", b"y", {1})}, weights_only=True
    )
    assert safe[1]["w"].tolist() == [1, 1]
    try:
        dist.all_gather_object(safe, print, weights_only=True)
    except Exception as error:
        return [type(error).__name__, str(error)]


def test_weights_only(tmp_path):
    for kind, text in run(trusted_alone, 2, tmp_path):
        assert kind == "UnpicklingError"
        assert text.startswith("weights_only=True takes tensors and plain values alone")
        assert text.endswith("builtins.print")


@pytest.fixture
def world():
    import opweave.distributed as dist

    dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
    yield dist
    dist.destroy_process_group()


def test_lists_have_a_place_for_each_rank(world):
    with pytest.raises(ValueError, match=r"object_list: expected a list of 1, .* got \[\]"):
        world.all_gather_object([], 1)
    with pytest.raises(ValueError, match=r"object_gather_list: expected a list of 1, .* got None"):
        world.gather_object(1)
    with pytest.raises(ValueError, match="to be a list of size at least 1"):
        world.scatter_object_list([], [1])


def test_the_future_of_a_work(world):
    x, seen = ow.ones(3), []
    work = world.all_reduce(x, async_op=True)
    future = work.get_future()
    doubled = future.then(lambda done: done.value()[0] * 2)
    doubled.add_done_callback(lambda done: seen.append(done.value().tolist()))
    assert doubled.wait().tolist() == [2, 2, 2]
    assert future.done()
    assert future.wait()[0] is not None
    assert seen == [[2, 2, 2]]
    failing = future.then(lambda done: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        failing.wait()


def test_many_futures_end_on_other_threads(world):
    x = ow.zeros(10)
    futures = [world.all_reduce(x, async_op=True).get_future() for _ in range(200)]
    counts = ow.futures.wait_all([f.then(lambda done: 1) for f in futures])
    assert sum(counts) == 200


def test_futures_of_programs():
    from opweave.futures import Future, collect_all

    one, other = Future(), Future()
    both = collect_all([one, other])
    assert not both.done()
    with pytest.raises(RuntimeError, match="is not done"):
        one.value()
    one.set_result(1)
    other.set_exception(ValueError("no"))
    assert both.wait() == [one, other]
    assert one.value() == 1
    for call in (other.wait, other.value, other.then(lambda done: done.wait()).wait):
        with pytest.raises(ValueError, match="no"):
            call()
    with pytest.raises(RuntimeError, match="is done already"):
        one.set_result(2)
    with pytest.raises(TypeError, match="expected an exception, got int"):
        Future().set_exception(3)
    assert collect_all([]).wait() == []
