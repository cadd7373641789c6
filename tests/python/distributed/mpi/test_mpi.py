"""The backend 'mpi' under mpirun: what the others compute, and what is said when a rank fails."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import opweave as ow
import opweave.distributed as dist
import pytest
from support.mpi import RECOVER, Mpirun, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

OTHERS = Path(__file__).parents[1]
VALUES = ["reductions", "average", "movements", "scattered_sums", "letters", "later", "groups"]
COMPARED = {"OPWEAVE_DISTRIBUTED_DEBUG": "DETAIL"}


def said(call):
    began = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        call()
    return [type(caught.value).__name__, str(caught.value), time.monotonic() - began]


def as_gloo(dist, rank, size):
    """The same to the bit, also of what needs many messages, and in several groups at once."""
    gloo = dist.new_group(backend="gloo")
    for count in (1, 1000, 200_003, 5_000_000):
        ow.manual_seed(rank)
        x = ow.randn(count)
        y = x.clone()
        work = dist.all_reduce(x, async_op=True)
        dist.all_reduce(y, group=gloo)
        work.wait()
        assert bool((x == y).all()), count
        for i in range(5):
            dist.broadcast(x if i % 2 == 0 else y, i % size)
    dist.destroy_process_group(gloo)
    return True


def crossing(dist, rank, size):
    """Large messages both ways, which no rank takes before it has sent its own."""
    assert dist.get_backend() == "mpi"
    n = 3_000_000
    others = [r for r in range(size) if r != rank]
    works = [dist.isend(ow.full((n,), float(rank)), r, tag=7) for r in others]
    for r in others:
        got = ow.empty(n)
        dist.recv(got, r, tag=7)
        assert bool((got == r).all())
    for work in works:
        work.wait()
    if rank == 0:  # it is kept, and goes on without anybody who waits
        dist.send(ow.arange(10_000.0), 1)
        time.sleep(0.3)
    if rank == 1:
        time.sleep(0.1)
        got = ow.empty(10_000)
        dist.recv(got, 0)
        assert got[9_999].item() == 9_999
    dist.barrier()
    return True


def unlike(dist, rank, size):
    texts = [
        said(lambda: dist.all_reduce(ow.ones(3 + (rank == 0)))),
        said(lambda: dist.broadcast(ow.ones(3), 0 if rank == 0 else 1)),
        said(lambda: dist.barrier() if rank == 0 else dist.all_reduce(ow.ones(3))),
    ]
    x = ow.ones(2)
    dist.all_reduce(x)  # the group goes on
    return [texts, x.tolist()]


def test_what_the_others_compute(tmp_path):
    steps = [[OTHERS / "test_collectives.py", name, {}] for name in VALUES]
    steps += [[OTHERS / "test_objects.py", "objects", {}]]
    steps += [[__file__, name, {}] for name in ("as_gloo", "crossing")]
    run = Mpirun(steps, 4, tmp_path)
    assert all(result is not None for result in run.wait()), run.error
    assert run.process.returncode == 0, run.error
    assert run.left() == []


def test_ranks_that_call_different_things_are_all_told(tmp_path):
    for texts, value in (
        result[0]
        for result in Mpirun([[__file__, "unlike", {}]], 3, tmp_path, environment=COMPARED).wait()
    ):
        sizes, roots, kinds = (text for _, text, _ in texts)
        assert "rank 0 all_reduce(sum) of float32, 4 elements" in sizes
        assert "rank 1 broadcast with the root 1" in roots
        assert "rank 0 barrier" in kinds
        assert max(seconds for *_, seconds in texts) < 1
        assert value == [3, 3]


@pytest.mark.parametrize("what", ["broadcast", "reduce", "gather", "scatter", "takers"])
def test_ranks_that_disagree_on_the_root_both_fail(what, tmp_path):
    run = Mpirun([[OTHERS / "test_faults.py", "unlike_pair", {"what": what}]], 2, tmp_path)
    for first, second in (result[0] for result in run.wait()):
        assert "the ranks called different things: rank 0" in first
        assert "the ranks called different things: rank 0" in second
    assert run.process.returncode == 0, run.error


def pending(dist, rank, size):
    works = [dist.all_reduce(ow.ones(2_000_000), async_op=True) for _ in range(20)]
    dist.destroy_process_group()
    return all(work.is_completed() for work in works)


def test_a_group_is_left_while_it_works(tmp_path):
    """What still runs fails; no process is gone, and mpirun has nothing to complain of."""
    run = Mpirun([[__file__, "pending", {}]], 3, tmp_path)
    assert run.wait() == [[True]] * 3
    assert run.process.returncode == 0, run.error


def act(how):
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif how == "exits":
        os._exit(0)
    elif how == "raises":
        raise KeyError("of the test")
    elif how == "slow":
        time.sleep(6)


def faulty(dist, rank, size, how, when, meet):
    if when == "init":
        if rank == 1:
            act(how)
        return said(meet)
    meet()
    x = ow.ones(1 << 20)
    dist.all_reduce(x)
    if rank == 1:  # it goes when the others have what it gave
        for r in (0, 2):
            dist.recv(ow.empty(1), r)
    else:
        dist.send(ow.ones(1), 1)
    if when == "within" and rank == 1:
        works = [dist.all_reduce(x, async_op=True) for _ in range(3)]
        works[0].wait()  # the others may be in any of them
        act(how)
    if when == "before" and rank == 1:
        act(how)

    def call():
        for _ in range(10):
            dist.all_reduce(x)

    result = said(call)
    dist.destroy_process_group()
    return [*result, sum(1 for _ in Path("/proc/self/task").iterdir())]


def end_of_stopped(run, stopped=1):
    """Whoever is stopped stays until somebody ends it: here, when the others have ended."""
    others = [run.folder / f"result_{rank}" for rank in range(run.size) if rank != stopped]
    end = time.monotonic() + 20
    while not all(path.exists() for path in others) and time.monotonic() < end:
        time.sleep(0.05)
    done = time.monotonic()
    while any(Path(f"/proc/{run.pid(r)}/exe").exists() for r in range(run.size) if r != stopped):
        assert time.monotonic() < done + 20
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.kill(run.pid(stopped), signal.SIGKILL)
    return time.monotonic() - done


SAID = {
    "killed": "has ended",
    "stopped": "rank 1 did not come in time",
    "exits": "has ended",
    "raises": "rank 1",
    "slow": "rank 1 did not come in time",
}


@pytest.mark.parametrize(
    ("how", "when"),
    [
        ("killed", "before"),
        ("killed", "within"),
        ("stopped", "before"),
        ("stopped", "within"),
        ("exits", "before"),
        ("raises", "before"),
        ("slow", "before"),
        ("killed", "init"),
        ("slow", "init"),
    ],
)
def test_survivors_say_who_failed(how, when, tmp_path):
    steps = [[__file__, "faulty", {"how": how, "when": when}]]
    run = Mpirun(steps, 3, tmp_path, timeout=3, options=RECOVER, meets=False, limit=40)
    if how == "stopped":
        end_of_stopped(run)
    with suppress(AssertionError):  # of the rank that raises itself
        run.wait()
    for rank in (0, 2):
        kind, text, seconds, *_ = run._result(rank)[0]
        assert kind == "DistBackendError", text
        assert seconds < 4
        if when == "init":
            assert "MPI_Init, which waits for all of them, has not returned in time" in text
        else:
            assert "all_reduce(sum) of float32[1048576]" in text
            assert SAID[how] in text
            assert "rank 1" in text
    assert run.left() == []


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("leaving", {"others": 2, "letters": False}, "rank 2 did not come in time"),
        ("behind", {}, "rank 2 did not come in time"),
    ],
)
def test_beside_a_stopped_rank(name, arguments, text, tmp_path):
    steps = [[OTHERS / "test_survivors.py", name, arguments]]
    run = Mpirun(steps, 3, tmp_path, timeout=4, options=RECOVER, limit=40)
    ended_after = end_of_stopped(run, stopped=2)
    run.wait()
    assert ended_after < 1.5
    for rank in (0, 1):
        result = run._result(rank)[0]
        failed, *left = result if name == "leaving" else [result]
        assert text in failed[0]
        assert "ranks 0, 2" not in failed[0]
        assert failed[1] < (2 if left else 5)
        assert all(nothing == "" and seconds < 1.5 for nothing, seconds in left)
    assert run.left() == []


def in_a_program(lines, command=(), **environment):
    program = "import opweave.distributed as dist\nimport opweave as ow\n" + lines
    return subprocess.run(
        [*command, sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_variables_say_where_to_meet(tmp_path):
    """Those of env://, if all are set; the ranks are theirs then, and not mpirun's."""
    lines = (
        "import os\n"
        "os.environ['RANK'] = str(1 - int(os.environ['OMPI_COMM_WORLD_RANK']))\n"
        "dist.init_process_group('mpi')\n"
        "x = ow.ones(1) * dist.get_rank()\n"
        "dist.broadcast(x, 1)\n"
        "dist.destroy_process_group()\n"
        f"open('{tmp_path}/' + os.environ['OMPI_COMM_WORLD_RANK'], 'w').write(str(x.item()))\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = ("mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root")
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "RANK": "0"}
    result = in_a_program(lines, command, **where)
    assert result.returncode == 0, result.stderr
    assert [(tmp_path / rank).read_text() for rank in "01"] == ["1.0", "1.0"]


def test_outside_of_mpirun(tmp_path):
    assert dist.is_mpi_available()
    alone = in_a_program("dist.init_process_group('mpi')\nprint(dist.get_world_size())")
    assert alone.stdout.split() == ["1"], alone.stderr
    two = in_a_program(
        f"dist.init_process_group('mpi', store=dist.FileStore('{tmp_path}/s'), rank=0, world_size=2)"
    )
    assert (
        "mpi: this process was not started by mpirun, and the group 'world' has 2 ranks: "
        "start the program with 'mpirun -n 2'" in two.stderr
    )
