"""Which backend a group has: by name, by device, by where its ranks are, and written in Python."""

import os
import shutil
import subprocess
from datetime import timedelta
from typing import ClassVar

import opweave as ow
import opweave.distributed as dist
import pytest
from support.ranks import run


@pytest.fixture(name="alone")
def group_of_one():
    yield lambda backend: dist.init_process_group(
        backend, store=dist.HashStore(), rank=0, world_size=1
    )
    if dist.is_initialized():
        dist.destroy_process_group()


def chosen(dist, rank, size):
    x = ow.ones(3)
    dist.all_reduce(x)
    assert x.tolist() == [size] * 3
    pair = dist.new_group([0, 1])
    return [dist.get_backend(), dist.get_backend(pair) if rank < 2 else None]


def test_ranks_of_one_host_share_memory(tmp_path):
    assert run(chosen, 2, tmp_path, backend=None) == [["shm", "shm"]] * 2


def can_unshare():
    return (
        os.geteuid() == 0
        and shutil.which("unshare") is not None
        and subprocess.run(["unshare", "-pf", "true"], check=False).returncode == 0
    )


@pytest.mark.skipif(not can_unshare(), reason="namespaces of processes are not allowed here")
def test_ranks_that_cannot_share_memory_use_the_network(tmp_path):
    """As in containers: rank 2 sees none of the others' processes."""
    prefix = ("unshare", "-pf", "--kill-child")
    results = run(
        chosen, 3, tmp_path, backend=None, prefix=lambda rank: prefix if rank == 2 else ()
    )
    assert results == [["gloo", "shm"]] * 2 + [["gloo", None]]


def test_names(alone):
    assert dist.Backend("GLOO") == dist.Backend.GLOO == "gloo"
    assert dist.is_backend_available("Gloo")
    assert dist.is_gloo_available()
    for name in ("ucc", "xccl"):
        assert not dist.is_backend_available(name)
        assert not getattr(dist, f"is_{name}_available")()
    alone("GLOO")
    assert dist.get_backend() == "gloo"
    assert dist.get_backend_config() == "cpu:gloo,cuda:gloo"


def test_backends_by_device(alone):
    alone("cpu:gloo,meta:fake")
    assert dist.get_backend() == dist.get_backend_config() == "cpu:gloo,meta:fake"
    x = ow.ones(2)
    dist.all_reduce(x)
    dist.all_reduce(ow.empty(2, device="meta"))
    dist.barrier()
    dist.destroy_process_group()
    alone("cpu:gloo")
    with pytest.raises(
        RuntimeError,
        match=r"all_reduce\(\): the backend 'gloo' of the group 'world' takes no tensors on meta",
    ):
        dist.all_reduce(ow.empty(2, device="meta"))


@pytest.mark.parametrize(
    ("backend", "kind", "text"),
    [
        ("nope", ValueError, "no backend is called 'nope'; there are shm, gloo, nccl, fake"),
        ("ucc", RuntimeError, "Distributed package doesn't have UCC built in: there is no library"),
        ("cpu:gloo,cuda:ucc", RuntimeError, "doesn't have UCC built in"),
        (
            "cpux:gloo",
            ValueError,
            "no device type is called 'cpux', in 'cpux:gloo'; there are cpu, meta, cuda",
        ),
        ("cpu:gloo,cpu:shm", ValueError, "Duplicate device type cpu in backend string"),
        ("cpu:gloo:x", ValueError, "Invalid device:backend pairing: 'cpu:gloo:x'"),
        ("cpu:gloo,nope", ValueError, "Invalid device:backend pairing: 'nope'"),
        ("cpu:", ValueError, "Invalid device:backend pairing: 'cpu:'"),
    ],
)
def test_names_that_are_none(backend, kind, text, alone):
    with pytest.raises(kind, match=text):
        alone(backend)
    assert not dist.is_initialized()


class Done:
    def wait(self, timeout=None):
        return True


class Doubling(dist.ProcessGroup):
    """Answers as if there were another rank that called with the same."""

    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)
        self.calls = []

    def allreduce(self, tensors, opts):
        self.calls.append((opts.reduceOp, opts.timeout))
        for t in tensors:
            t.mul_(2)
        return Done()

    def allgather(self, outputs, inputs, opts):
        for out in outputs[0]:
            out.copy_(inputs[0])
        return Done()

    def send(self, tensors, dst, tag):
        self.calls.append((dst, tag))
        return Done()

    def barrier(self, opts):
        self.calls.append("barrier")


@pytest.fixture(scope="module", autouse=True)
def registered():
    dist.Backend.register_backend("Doubling", Doubling, devices="cpu")


def test_a_backend_of_python():
    dist.init_process_group("doubling", store=dist.HashStore(), rank=0, world_size=2)
    try:
        world = dist.group.WORLD
        assert isinstance(world, Doubling)
        groups = timedelta(milliseconds=-1)  # the group's own timeout
        assert (dist.get_backend(), dist.get_world_size()) == ("doubling", 2)
        assert world.group_name == "world"
        x = ow.ones(2)
        dist.all_reduce(x, dist.ReduceOp.MAX)
        work = dist.all_reduce(x, async_op=True)
        assert work.wait()
        assert x.tolist() == [4, 4]
        outs = [ow.zeros(2), ow.zeros(2)]
        dist.all_gather(outs, x)
        assert outs[1].tolist() == [4, 4]
        dist.send(x, 1, tag=7)
        dist.barrier()
        assert world.calls == [("max", groups), ("sum", groups), (1, 7), "barrier"]
        with pytest.raises(NotImplementedError, match=r"Doubling has no broadcast\(\)"):
            dist.broadcast(x, 0)
        with pytest.raises(RuntimeError, match="'world' takes no tensors on meta"):
            dist.all_reduce(ow.empty(2, device="meta"))
        assert isinstance(dist.new_group(), Doubling)
    finally:
        dist.destroy_process_group()


class Late:
    """Fails when it is waited for; knows before."""

    def __init__(self, tells):
        if tells:
            self.exception = lambda: KeyError("told")

    def is_completed(self):
        return False

    def wait(self, timeout=None):
        raise KeyError("of the test")


class Failing(Doubling):
    tells = False

    def allreduce(self, tensors, opts):
        return Late(self.tells)

    def allgather(self, outputs, inputs, opts):
        raise LookupError("at once")


def test_works_of_a_backend_of_python_fail_and_are_recorded():
    if not dist.is_backend_available("failing"):
        dist.Backend.register_backend("failing", Failing)
    dist.init_process_group("failing", store=dist.HashStore(), rank=0, world_size=1)
    try:
        world, x = dist.group.WORLD, ow.ones(2)
        work = dist.all_reduce(x, async_op=True)
        assert work.exception() is None
        with pytest.raises(KeyError, match="of the test"):
            work.wait()
        assert repr(work.exception()) == "KeyError('of the test')"
        assert work.is_completed()
        assert not work.is_success()
        with pytest.raises(KeyError):
            dist.all_reduce(x)
        world.tells = True
        assert repr(dist.all_reduce(x, async_op=True).exception()) == "KeyError('told')"
        with pytest.raises(LookupError):
            dist.all_gather([ow.ones(2)], x)
        dist.barrier()
        entries = [
            e for e in dist.trace.flight_record()["entries"] if "failing" in e["profiling_name"]
        ]
        names = [(e["profiling_name"], e["state"], e["collective_seq_id"]) for e in entries[-5:]]
        assert [name for name, *_ in names] == [
            "failing:all_reduce(sum)",
            "failing:all_reduce(sum)",
            "failing:all_reduce(sum)",
            "failing:all_gather",
            "failing:barrier",
        ]
        assert [state for _, state, _ in names] == [
            "failed",
            "failed",
            "started",
            "failed",
            "completed",
        ]
        assert [number for *_, number in names] == list(range(names[0][2], names[0][2] + 5))
        assert "KeyError: 'of the test'" in str(entries[-5])
        assert "test_backends.py" in str(entries[-5]["frames"])
    finally:
        dist.destroy_process_group()


def test_a_name_that_is_taken():
    with pytest.raises(RuntimeError, match="gloo c10d backend already exist"):
        dist.Backend.register_backend("gloo", Doubling)


def test_a_backend_of_python_beside_another():
    """Each carries the tensors of its device: one doubles, the other takes none."""
    dist.init_process_group("cpu:doubling,meta:fake", store=dist.HashStore(), rank=0, world_size=2)
    try:
        assert dist.get_backend() == "cpu:doubling,meta:fake"
        world, x = dist.group.WORLD, ow.ones(2)
        dist.all_reduce(x)
        assert x.tolist() == [2, 2]
        whole = ow.empty(6, device="meta")
        work = dist.all_gather_into_tensor(whole, ow.empty(3, device="meta"), async_op=True)
        work.wait()
        with pytest.raises(NotImplementedError, match=r"Doubling has no broadcast\(\)"):
            dist.broadcast(x, 0)
        dist.broadcast(whole, 1)  # which the other has
        dist.barrier()
        assert isinstance(world._get_backend("cpu"), Doubling)
        assert world._get_backend("cpu").calls[-1] == "barrier"
        with pytest.raises(RuntimeError, match="expected tensors on one type of device, got"):
            dist.all_gather([x, whole[:2]], x)
        assert isinstance(dist.new_group()._get_backend("cpu"), Doubling)
    finally:
        dist.destroy_process_group()


def across(dist, rank, size, meet):
    """The host's tensors go over gloo, whichever backend is written in Python."""
    dist.Backend.register_backend("doubling", Doubling, devices="meta")
    meet()
    x, parts = ow.full((3,), float(rank)), [ow.empty(3) for _ in range(size)]
    dist.all_reduce(x)
    dist.all_gather(parts, ow.full((3,), float(rank)))
    if rank == 0:
        dist.send(x, 1)
    else:
        dist.recv(x, 0)
    dist.all_reduce(ow.ones(2, device="meta"))
    failed = ""
    if rank == 1:
        dist.destroy_process_group()
    else:
        try:
            dist.all_reduce(x)
        except dist.DistBackendError as error:
            failed = str(error)
    return x.tolist(), [p.tolist() for p in parts], failed


def test_backends_side_by_side_in_two_processes(tmp_path):
    first, second = run(across, 2, tmp_path, backend="cpu:gloo,meta:doubling", meets=False)
    assert first[:2] == second[:2] == [[1.0] * 3, [[0.0] * 3, [1.0] * 3]]
    assert "rank 1" in first[2]


class Ending(Doubling):
    ended: ClassVar[list[str]] = []

    def abort(self):
        self.ended.append("abort")

    def shutdown(self):
        self.ended.append("shutdown")
        raise LookupError("which nobody hears")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_backend_of_python_is_told_that_it_ends():
    if not dist.is_backend_available("ending"):
        dist.Backend.register_backend("ending", Ending)
    dist.init_process_group("ending", store=dist.HashStore(), rank=0, world_size=1)
    dist.destroy_process_group()
    assert Ending.ended == ["shutdown"]


def test_the_extended_interface(alone):
    seen = []

    def make(context, options):
        seen.append((context.group_rank, context.group_size, context.global_ranks_in_group))
        return Doubling(context.store, context.group_rank, context.group_size, context.timeout)

    if not dist.is_backend_available("extended"):
        dist.Backend.register_backend("extended", make, extended_api=True)
    alone("extended")
    assert dist.Backend.EXTENDED == "extended"
    assert seen == [(0, 1, [0])]


def with_options(options, backend="gloo"):
    dist.init_process_group(
        backend, store=dist.HashStore(), rank=0, world_size=1, pg_options=options
    )
    try:
        known = dist.group.WORLD._get_backend(ow.device("cpu")).options
        return known._timeout
    finally:
        dist.destroy_process_group()


def test_options_of_a_backend_say_its_timeout():
    options = dist.ProcessGroupGloo._Options()
    assert with_options(options) == timedelta(minutes=30)
    options._timeout = timedelta(seconds=7)
    assert with_options(options) == timedelta(seconds=7)


def test_options_of_parts_count_as_well(alone):
    alone("gloo")
    options = dist.ProcessGroupGloo._Options()
    options._timeout = timedelta(seconds=7)
    made = dist.new_group([0], pg_options=options)
    assert made._get_backend(ow.device("cpu")).options._timeout == timedelta(seconds=7)
    part = dist.split_group(None, [[0]], pg_options=options)
    assert part._get_backend(ow.device("cpu")).options._timeout == timedelta(seconds=7)
    with pytest.raises(ValueError, match="are of the backend 'nccl', the group has 'gloo'"):
        dist.split_group(None, [[0]], pg_options=dist.ProcessGroupNCCL.Options())


def test_an_option_that_a_backend_has_not_is_warned_of():
    options = dist.ProcessGroupGloo._Options()
    with pytest.warns(
        UserWarning,
        match="ProcessGroupGloo._Options: the backend 'gloo' has no option '_threads': it does nothing",
    ):
        options._threads = 4
    nccl = dist.ProcessGroupNCCL.Options()
    nccl.is_high_priority_stream = True  # which it has


def test_options_that_would_do_nothing_are_refused():
    with pytest.raises(
        TypeError, match=r"init_process_group\(\): pg_options: expected options of a"
    ):
        with_options(3)
    with pytest.raises(ValueError, match="are of the backend 'nccl', the group has 'gloo'"):
        with_options(dist.ProcessGroupNCCL.Options())
