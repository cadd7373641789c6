"""What goes wrong between processes has a name, on every rank, in time."""

import os
import re
import signal
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import opweave as ow
import pytest
from support.ranks import Ranks, run

BACKENDS = pytest.mark.parametrize("backend", ["shm", "gloo"])
# Before each collective; shared memory always does so.
COMPARED = {"OPWEAVE_DISTRIBUTED_DEBUG": "DETAIL"}


def said(call):
    began = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        call()
    return [type(caught.value).__name__, str(caught.value), time.monotonic() - began]


def unlike(dist, rank, size, what):
    calls = {
        "sizes": lambda: dist.all_reduce(ow.ones(3 + (rank == 0))),
        "shapes": lambda: dist.all_reduce(ow.ones((2, 3) if rank == 0 else (3, 2))),
        "lists": lambda: dist.all_reduce_coalesced(
            [ow.ones(3), ow.ones(1)] if rank == 0 else [ow.ones(1), ow.ones(3)]
        ),
        "dtypes": lambda: dist.all_reduce(
            ow.ones(3, dtype=ow.float64 if rank == 0 else ow.float32)
        ),
        "ops": lambda: dist.all_reduce(
            ow.ones(3), dist.ReduceOp.MAX if rank == 0 else dist.ReduceOp.SUM
        ),
        "roots": lambda: dist.broadcast(ow.ones(3), 0 if rank == 0 else 1),
        "kinds": lambda: dist.barrier() if rank == 0 else dist.all_reduce(ow.ones(3)),
        "rooms": lambda: dist.all_gather(
            [ow.ones(2 + (r == 1 and rank == 0)) for r in range(size)], ow.ones(2)
        ),
    }
    first = said(calls[what])
    x = ow.ones(2)
    dist.all_reduce(x)  # nothing hangs and nothing is spoilt: all ranks know
    return [first, x.tolist()]


UNLIKE = pytest.mark.parametrize(
    ("what", "pieces"),
    [
        (
            "sizes",
            [
                "rank 0 all_reduce(sum) of float32, 4 elements",
                "rank 2 all_reduce(sum) of float32, 3 elements",
            ],
        ),
        (
            "lists",
            [
                "4 elements in 2 tensors, the first of the sizes [3]",
                "4 elements in 2 tensors, the first of the sizes [1]",
            ],
        ),
        ("dtypes", ["rank 0 all_reduce(sum) of float64", "rank 1 all_reduce(sum) of float32"]),
        ("ops", ["rank 0 all_reduce(max)", "rank 1 all_reduce(sum)"]),
        ("roots", ["rank 0 broadcast with the root 0", "rank 1 broadcast with the root 1"]),
        ("kinds", ["rank 0 barrier", "rank 1 all_reduce(sum)"]),
        ("rooms", ["rank 1 gives rank 0 8 bytes, and rank 0 has room for 12"]),
    ],
)


@BACKENDS
@UNLIKE
def test_ranks_that_call_different_things_are_all_told(what, pieces, backend, tmp_path):
    results = run(unlike, 3, tmp_path, backend=backend, environment=COMPARED, what=what)
    for (kind, text, seconds), value in results:
        assert kind == "DistBackendError", text
        assert all(piece in text for piece in pieces), text
        assert seconds < 1
        assert value == [3, 3]


@BACKENDS
def test_as_many_elements_of_other_sizes_are_told_apart_where_that_is_asked_for(backend, tmp_path):
    options = {"backend": backend, "what": "shapes"}
    lower = {"TORCH_DISTRIBUTED_DEBUG": "detail"}
    for (_, text, _), _ in run(unlike, 2, tmp_path, environment=lower, **options):
        assert "6 elements in 1 tensors, of the sizes [2, 3]" in text
        assert "of the sizes [3, 2]" in text
    assert run(flat, 2, tmp_path, backend=backend) == [[2.0] * 6] * 2


def flat(dist, rank, size):
    x = ow.ones((2, 3) if rank == 0 else (3, 2))
    dist.all_reduce(x)
    return x.flatten().tolist()


def unlike_and_over(dist, rank, size, what):
    """Of ranks that agree one may be done with it before the others find out."""
    with suppress(dist.DistBackendError, pytest.fail.Exception):
        unlike(dist, rank, size, what)
    return said(lambda: dist.all_reduce(ow.ones(2)))


@BACKENDS
@UNLIKE
def test_ranks_that_wait_for_one_another_find_out_why(what, pieces, backend, tmp_path):
    """Between hosts calls are not compared before each collective, but where one waits."""
    for kind, text, seconds in run(unlike_and_over, 3, tmp_path, backend=backend, what=what):
        assert kind == "DistBackendError", text
        assert all(piece in text for piece in pieces), text
        assert seconds < 1


def unlike_pair(dist, rank, size, what):
    """Both are told, also who only gives; the group is over."""
    calls = {
        "broadcast": lambda: dist.broadcast(ow.ones(3), rank),
        "reduce": lambda: dist.reduce(ow.ones(3), rank),
        "gather": lambda: dist.gather(ow.ones(3), [ow.ones(3)] * 2, dst=rank),
        "scatter": lambda: dist.scatter(ow.ones(3), [ow.ones(3)] * 2, src=rank),
        "takers": lambda: dist.broadcast(ow.ones(3), 1 - rank),
    }
    return [said(calls[what])[1], said(lambda: dist.all_reduce(ow.ones(2)))[1]]


ROOTS = ["broadcast", "reduce", "gather", "scatter", "takers"]


@BACKENDS
@pytest.mark.parametrize("what", ROOTS)
def test_ranks_that_disagree_on_the_root_both_fail(what, backend, tmp_path):
    for first, second in run(unlike_pair, 2, tmp_path, backend=backend, what=what):
        assert "the ranks called different things: rank 0" in first
        assert "the ranks called different things: rank 0" in second


def without(dist, rank, size, how):
    dist.barrier()
    time.sleep(0.2)  # all of them have come out of it
    if rank == 1:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exits":
            os._exit(0)
        if how == "leaves":
            dist.destroy_process_group()
            return None
        if how == "stopped":
            Path(f"/proc/{os.getpid()}/comm").read_text()
            os.kill(os.getpid(), signal.SIGSTOP)
        if how == "late":
            time.sleep(3)
            return said(lambda: dist.all_reduce(ow.ones(3)))
    return said(lambda: dist.all_reduce(ow.ones(3)))


@BACKENDS
@pytest.mark.parametrize(
    ("how", "timeout", "within", "text"),
    [
        ("killed", 20, 1, r"rank 1 \(process \d+.*\) has ended"),
        ("exits", 20, 1, r"rank 1 \(process \d+.*\) has ended"),
        ("leaves", 20, 1, "rank 1 left the group"),
        ("stopped", 1, 2, "rank 1 did not come in time"),
        ("late", 1, 2, "rank 1 did not come in time"),
    ],
)
def test_a_rank_that_does_not_come_is_named(how, timeout, within, text, backend, tmp_path):
    ranks = Ranks(without, 3, tmp_path, backend=backend, timeout=timeout, how=how)
    if how == "stopped":
        others = [ranks.processes[r] for r in (0, 2)]
        for process in others:
            process.wait(30)
        ranks.processes[1].kill()
    results = ranks.wait()
    for rank in (0, 2):
        kind, message, seconds = results[rank]
        assert kind == "DistBackendError"
        assert seconds < within
        assert re.search(
            r"all_reduce\(sum\) of float32\[3\] \(number 1 of its group\): .*" + text, message
        ), message


def letter(dist, rank, size):
    if rank == 0:
        return said(lambda: dist.recv(ow.empty(2), 1))
    if rank == 1:
        dist.send(ow.ones(3), 0)
    return None


@BACKENDS
def test_a_letter_that_does_not_fit(backend, tmp_path):
    kind, text, _ = run(letter, 2, tmp_path, backend=backend)[0]
    assert kind == "DistBackendError"
    assert "rank 1 sent 12 bytes of float32, and there is room for 8 of float32" in text


def again(dist, rank, size):
    """A new group after one that failed, in the same process; nothing is left of the first."""
    short = dist.new_group(timeout=timedelta(seconds=0.5))
    if rank == 0:
        said(lambda: dist.barrier(group=short))
    else:
        time.sleep(1)
    dist.barrier()
    fresh, x = dist.new_group(), ow.ones(1)
    dist.all_reduce(x, group=fresh)
    return x.tolist()


@BACKENDS
def test_a_new_group_after_a_failure(backend, tmp_path):
    assert run(again, 3, tmp_path, backend=backend) == [[3.0]] * 3


def many(dist, rank, size, times):
    def count(folder):
        return len(os.listdir(f"/proc/self/{folder}"))

    def one():
        group, x = dist.new_group(), ow.ones(10)
        for _ in range(10):
            dist.all_reduce(x.fill_(1), group=group)
        dist.all_reduce(x, group=group, async_op=True).wait()
        dist.destroy_process_group(group)

    for _ in range(5):
        one()
    dist.barrier()
    before = count("fd"), count("task"), Path("/proc/self/maps").read_text().count("memfd:opweave")
    for _ in range(times):
        one()
    dist.barrier()
    return before, (
        count("fd"),
        count("task"),
        Path("/proc/self/maps").read_text().count("memfd:opweave"),
    )


@BACKENDS
def test_groups_leave_nothing(backend, tmp_path):
    for before, after in run(many, 2, tmp_path, backend=backend, times=100):
        # What a transport was still closing at first may be gone.
        assert all(b >= a for b, a in zip(before, after, strict=True)), (before, after)


def forked(dist, rank, size):
    child = os.fork()
    if child == 0:
        text = said(lambda: dist.all_reduce(ow.ones(1)))[1]
        dist.destroy_process_group()  # of its parent's group it can end nothing
        os._exit(0 if "from which this one was forked" in text else 1)
    status = os.waitpid(child, 0)[1]
    x = ow.ones(1)
    dist.all_reduce(x)
    return [status, x.tolist()]


@BACKENDS
def test_a_forked_process_has_no_say_in_its_parents_group(backend, tmp_path):
    assert run(forked, 2, tmp_path, backend=backend) == [[0, [2.0]]] * 2


def interrupted(dist, rank, size):
    if rank == 1:
        time.sleep(1)  # meanwhile the other waits
        return [said(lambda: dist.all_reduce(ow.ones(1)))[1]]
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(KeyboardInterrupt):
        dist.all_reduce(ow.ones(1))
    return [said(lambda: dist.all_reduce(ow.ones(1)))[1]]


@BACKENDS
def test_ctrl_c_in_a_collective_ends_the_group(backend, tmp_path):
    for (text,) in run(interrupted, 2, tmp_path, backend=backend):
        assert "it was interrupted" in text


def broken_off(dist, rank, size):
    group = dist.new_group(timeout=timedelta(seconds=0.5))
    if rank == 0:
        first = said(lambda: dist.send(ow.ones(1_000_000), 1, group=group))[1]
        return [first, said(lambda: dist.send(ow.zeros(1), 1, group=group))[1]]
    time.sleep(1.5)
    return [said(lambda: dist.recv(ow.empty(1), 0, group=group))[1]]


@BACKENDS
def test_a_letter_that_is_broken_off_ends_the_group(backend, tmp_path):
    sender, receiver = run(broken_off, 2, tmp_path, backend=backend)
    assert "rank 1 did not take it in time" in sender[0]
    assert "was broken off" in sender[1]
    assert "was broken off" in receiver[0]


def nothing_comes(dist, rank, size):
    group = dist.new_group(timeout=timedelta(seconds=0.3))
    dist.barrier(group)
    texts = []
    if rank == 0:
        named = said(lambda: dist.recv(ow.empty(1), 1, group=group))[1]
        texts = [named, said(lambda: dist.recv(ow.empty(1), group=group))[1]]
    dist.barrier()
    return texts


def test_who_sends_nothing_is_named(tmp_path):
    named, anybody = run(nothing_comes, 2, tmp_path)[0]
    assert "rank 1 did not send it in time; in the group" in named
    assert "no rank sent it in time; in the group" in anybody


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda d, x: d.all_reduce(x.expand(3, 2).T),
            ValueError,
            r"all_reduce\(\): Tensors must be contiguous: input 0",
        ),
        (
            lambda d, x: d.all_reduce([x]),
            TypeError,
            r"all_reduce\(\): tensor: expected a Tensor, got list",
        ),
        (
            lambda d, x: d.all_reduce(x, "sum"),
            TypeError,
            r"all_reduce\(\): op: expected a ReduceOp, got str",
        ),
        (
            lambda d, x: d.all_reduce(x, d.ReduceOp.BAND),
            RuntimeError,
            "Cannot use ReduceOp.band with tensors of float32",
        ),
        (
            lambda d, x: d.broadcast(x, 3),
            ValueError,
            r"broadcast\(\): src: Global rank 3 is not part of group world",
        ),
        (
            lambda d, x: d.broadcast(x, group_src=3),
            ValueError,
            r"broadcast\(\): rank 3 is not in the group 'world', which has 1 ranks",
        ),
        (
            lambda d, x: d.broadcast(x),
            ValueError,
            r"broadcast\(\): expected either src or group_src",
        ),
        (
            lambda d, x: d.all_reduce_coalesced([]),
            ValueError,
            r"all_reduce_coalesced\(\): tensors: expected a list of Tensors, got an empty one",
        ),
        (
            lambda d, x: d.all_gather_into_tensor(ow.ones(4, 2).T, ow.ones(8)),
            ValueError,
            r"into_tensor\(\): output_tensor: Tensors must be contiguous: it has the sizes \[2, 4\]",
        ),
        (
            lambda d, x: d.all_to_all_single(x.sum(), x),
            ValueError,
            r"all_to_all_single\(\): output: expected a tensor with rows, got one of 0 dimensions",
        ),
        (
            lambda d, x: d.send_object_list(3, 0),
            TypeError,
            r"send_object_list\(\): object_list: expected a list, got int",
        ),
        (
            lambda d, x: d.recv_object_list(3, 0),
            TypeError,
            r"recv_object_list\(\): object_list: expected a list, got int",
        ),
        (
            lambda d, x: d.P2POp(d.isend, x),
            ValueError,
            r"P2POp\(\): expected either peer or group_peer",
        ),
        (
            lambda d, x: d.explain(-1),
            ValueError,
            r"explain\(\): nbytes: expected the size of a tensor, got -1",
        ),
        (
            lambda d, x: d.new_group(timeout=timedelta(0)),
            ValueError,
            r"new_group\(\): timeout: expected a timedelta above 0, got 0:00:00",
        ),
        (
            lambda d, x: d.split_group(None, [[0]], timeout=timedelta(seconds=-1)),
            ValueError,
            r"split_group\(\): timeout: expected a timedelta above 0",
        ),
        *(
            (
                lambda d, x, given=given: d.monitored_barrier(timeout=given),
                ValueError,
                r"monitored_barrier\(\): timeout: expected at least 0 seconds, got ",
            )
            for given in (-1, float("nan"), timedelta(seconds=-1))
        ),
        (
            lambda d, x: d.set_timeout(timedelta(0)),
            ValueError,
            r"set_timeout\(\): timeout: expected a timedelta above 0",
        ),
        (
            lambda d, x: d.init_device_mesh("cpu", (1,)).get_group(1),
            IndexError,
            "DeviceMesh: dimension 1 of a mesh of 1 dimensions",
        ),
        (
            lambda d, x: d.all_gather([x, x], x),
            ValueError,
            "expected 1 output tensors, one for each rank of the group, got 2",
        ),
        (
            lambda d, x: d.all_gather([x.double()], x),
            ValueError,
            "one is float32 and another float64",
        ),
        (
            lambda d, x: d.all_gather([ow.ones(3)], x),
            ValueError,
            "rank 0 gives itself 2 elements and has room for 3",
        ),
        (lambda d, x: d.send(x, 0), ValueError, "rank 0 cannot exchange tensors with itself"),
        (lambda d, x: d.init_process_group("gloo"), ValueError, "default process group twice"),
        (
            lambda d, x: d.new_group([0, 1]),
            ValueError,
            r"expected different ranks of a world of 1, got \[0, 1\]",
        ),
        (lambda d, x: d.new_group(backend="ucc"), RuntimeError, "doesn't have UCC built in"),
    ],
)
def test_arguments(call, kind, text, tmp_path):
    import opweave.distributed as dist

    dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(kind, match=text):
            call(dist, ow.ones(2))
    finally:
        dist.destroy_process_group()


def test_without_a_group():
    import opweave.distributed as dist

    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        dist.all_reduce(ow.ones(1))
