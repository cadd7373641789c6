"""The flight record, who writes it and when, and what the records of all ranks say together."""

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import opweave as ow
import pytest
from support.ranks import Ranks, run

BACKENDS = pytest.mark.parametrize("backend", ["shm", "gloo"])


def dumps(folder, **more):
    return {"TORCH_FR_DUMP_TEMP_FILE": f"{folder}/trace_rank_", **more}


def record(folder, rank):
    return json.loads(Path(f"{folder}/trace_rank_{rank}").read_text())


def trace_of(folder):
    """What the tool says of a folder, and its page."""
    command = [sys.executable, "-m", "opweave.distributed.trace", str(folder)]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout, (Path(folder) / "timeline.html").read_text()


def this_line():
    return sys._getframe(1).f_lineno


def some(dist, rank, size):
    from opweave.distributed import trace

    dist.all_reduce(ow.ones(3, 4), dist.ReduceOp.MAX)
    line = this_line() - 1
    work = dist.isend(ow.ones(2), (rank + 1) % size, tag=7)
    dist.recv(ow.zeros(2), (rank - 1) % size, tag=7)
    work.wait()
    part = dist.new_group(list(range(size)))
    dist.all_gather([ow.ones(1), ow.ones(2)], ow.ones(1 + rank), group=part)
    dist.barrier()
    before, began = trace.heartbeat(), time.monotonic()
    time.sleep(0.5)
    often = (trace.heartbeat() - before) / (time.monotonic() - began)
    return [trace.flight_record(), line, often]


@BACKENDS
def test_what_is_remembered(backend, tmp_path):
    variables = {"NCCL_DEBUG": "WARN", "TORCH_FR_BUFFER_SIZE": "99"}
    results = run(some, 2, tmp_path, backend=backend, environment=variables)
    for rank, (found, line, often) in enumerate(results):
        assert 1 < often < 13  # looks a second; ten where the machine has time
        assert found["rank"] == rank
        assert found["pg_config"]["world"] == {
            "backend": backend,
            "rank": rank,
            "size": 2,
            "ranks": [0, 1],
            "generation": 0,
            "environment": {"NCCL_DEBUG": "WARN", "TORCH_FR_BUFFER_SIZE": "99"},
        }
        first, *rest = found["entries"]
        assert first["profiling_name"] == f"{backend}:all_reduce(max)"
        assert first["collective_seq_id"] == 0
        assert not first["is_p2p"]
        assert first["input_sizes"] == first["output_sizes"] == [[3, 4]]
        assert first["input_dtypes"] == ["float32"]
        assert first["state"] == "completed"
        assert first["timeout_ms"] == 20_000
        assert (
            first["time_created_ns"]
            <= first["time_discovered_started_ns"]
            <= first["time_discovered_completed_ns"]
        )
        assert first["frames"][0] == {"filename": __file__, "line": line, "name": "some"}
        names = [entry["profiling_name"].split(":")[1] for entry in rest]
        assert names == ["send", "recv", "all_gather", "barrier"]
        assert [e["p2p_seq_id"] for e in rest[:2]] == [0, 0]
        assert {e["tag"] for e in rest[:2]} == {7}
        queues = found["pg_status"]["world"]["queues"]
        assert queues["collectives"]["last_completed"] == {"sequence": 1, "name": "barrier"}
        assert queues["sends"]["last_enqueued"] == {"sequence": 0, "name": "send"}
        assert queues["receives"]["waiting"] == 0
        assert found["pg_status"]["world"]["failure"] == ""


def backward_through(dist, rank, size):
    from opweave.distributed import trace
    from opweave.distributed.nn.functional import all_reduce

    x = ow.ones(3, requires_grad=True)
    result = all_reduce(x)
    line = this_line() + 1
    result.sum().backward()
    forward, backward = trace.flight_record()["entries"]
    return forward["frames"][0]["line"], backward["frames"][:1], line


def test_a_collective_of_a_backward_pass_has_the_line_that_started_the_pass(tmp_path):
    for forward, frames, line in run(backward_through, 2, tmp_path):
        assert forward == line - 2
        assert frames == [{"filename": __file__, "line": line, "name": "backward_through"}]


def late(dist, rank, size):
    dist.all_reduce(ow.ones(3))
    if rank == 2:
        time.sleep(3)
        return [0, "", 0]
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as error:
        dist.all_reduce(ow.ones(4))
    return [this_line() - 1, str(error.value), time.monotonic() - began]


@BACKENDS
def test_who_did_not_come_is_named_by_all(backend, tmp_path):
    ranks = Ranks(late, 3, tmp_path, backend=backend, timeout=1.0, environment=dumps(tmp_path))
    results = ranks.wait()
    for rank, (line, text, seconds) in enumerate(results[:2]):
        assert seconds < 2
        assert "all_reduce(sum) of float32[4] (number 1 of its group)" in text
        assert "rank 2 did not come in time; ranks 0, 1 did" in text
        assert (
            f"in the group 'world' (rank {rank} of 3), called at {__file__}:{line} in late" in text
        )
    # Also of the rank that sleeps: its watchdog is told.
    for rank in range(3):
        found = record(tmp_path, rank)
        assert "rank 2 did not come in time" in found["reason"]
        assert "rank 2 did not come in time" in found["pg_status"]["world"]["failure"]
        states = [entry["state"] for entry in found["entries"]]
        assert states == (["completed"] if rank == 2 else ["completed", "failed"])
    said, page = trace_of(tmp_path)
    assert re.search(
        r"^world: number 1: all_reduce\(sum\) of float32\[4\]: ranks 0, 1 came "
        r".*:\d+ in late\), rank 2 did not$",
        said,
        re.MULTILINE,
    )
    assert page.count("<rect") == 5
    assert "all_reduce(sum) of float32[4], number 1, failed" in page


def stuck_with_the_lock(dist, rank, size):
    work = dist.all_reduce(ow.ones(3), async_op=True)
    # A call that keeps Python's lock.
    ctypes.PyDLL(None).usleep(4_000_000)
    with pytest.raises(dist.DistBackendError):
        work.wait()


@BACKENDS
def test_a_report_needs_no_python(backend, tmp_path):
    began = time.monotonic()
    ranks = Ranks(
        stuck_or_absent, 2, tmp_path, backend=backend, timeout=1.0, environment=dumps(tmp_path)
    )
    for rank in range(2):
        path = Path(f"{tmp_path}/trace_rank_{rank}")
        while not path.exists() and time.monotonic() - began < 20:
            time.sleep(0.05)
        assert path.exists()
    # Both still hold their locks.
    assert all(process.poll() is None for process in ranks.processes)
    assert not any((tmp_path / f"awake{rank}").exists() for rank in range(2))
    ranks.wait()
    assert record(tmp_path, 0)["entries"][0]["state"] == "failed"


def stuck_or_absent(dist, rank, size):
    folder = Path(os.environ["TORCH_FR_DUMP_TEMP_FILE"]).parent
    if rank == 0:
        stuck_with_the_lock(dist, rank, size)
    else:
        ctypes.PyDLL(None).usleep(4_000_000)
    (folder / f"awake{rank}").touch()


def raises(dist, rank, size):
    dist.all_reduce(ow.ones(3))
    if rank == 1:
        raise KeyError("no such column")
    with pytest.raises(dist.DistBackendError) as error:
        dist.all_reduce(ow.ones(4))
    return str(error.value)


@BACKENDS
def test_a_rank_that_raises_is_in_the_report(backend, tmp_path):
    ranks = Ranks(raises, 2, tmp_path, backend=backend, environment=dumps(tmp_path))
    with pytest.raises(AssertionError, match="no such column"):
        ranks.wait()
    ranks.processes[0].communicate()
    reason = record(tmp_path, 1)["reason"]
    assert reason.startswith("rank 1 raised KeyError: 'no such column', at ")
    assert reason.endswith(" in raises")
    assert record(tmp_path, 0)["entries"][-1]["state"] == "failed"
    said, _ = trace_of(tmp_path)
    assert "rank 1 on" in said
    assert reason in said
    assert "rank 0 came" in said
    assert "rank 1 did not" in said


def exits(dist, rank, size):
    dist.all_reduce(ow.ones(3))
    if rank == 1:
        sys.exit(3)
    if rank == 2:
        sys.exit(0)
    with pytest.raises(dist.DistBackendError) as error:
        dist.all_reduce(ow.ones(4))
    return str(error.value)


@BACKENDS
def test_a_rank_that_exits_with_a_status_is_in_the_report(backend, tmp_path):
    ranks = Ranks(exits, 3, tmp_path, backend=backend, environment=dumps(tmp_path))
    ranks.wait()
    assert [p.returncode for p in ranks.processes] == [0, 3, 0]
    ended = record(tmp_path, 1)
    assert ended["reason"] == "this rank exited with status 3"
    assert ended["entries"][0]["state"] == "completed"
    assert not (tmp_path / "trace_rank_2").exists()


def waits(dist, rank, size):
    dist.all_reduce(ow.ones(3))
    print("READY", flush=True)
    time.sleep(2)


def test_a_signal_asks_for_it(tmp_path):
    environment = dumps(tmp_path, OPWEAVE_DISTRIBUTED_DUMP_SIGNAL="USR1")
    ranks = Ranks(waits, 1, tmp_path, environment=environment)
    assert ranks.processes[0].stdout.readline() == "READY\n"
    ranks.processes[0].send_signal(signal.SIGUSR1)
    ranks.wait()
    assert record(tmp_path, 0)["reason"] == "a signal asked for it"


def different(dist, rank, size):
    dist.barrier()
    with pytest.raises(dist.DistBackendError):
        dist.all_reduce(ow.ones(3 + rank))
    return dist.trace.dump()


def test_calls_that_differ_are_named(tmp_path):
    paths = run(different, 2, tmp_path, environment=dumps(tmp_path))
    assert paths == [f"{tmp_path}/trace_rank_{rank}" for rank in range(2)]
    said, _ = trace_of(tmp_path)
    assert "number 1: rank 0: all_reduce(sum) of float32[3] (" in said
    assert "; rank 1: all_reduce(sum) of float32[4] (" in said


def many(dist, rank, size):
    for _ in range(50):
        dist.barrier()
    return [e["record_id"] for e in dist.trace.flight_record()["entries"]]


def test_the_ring_keeps_the_last(tmp_path):
    few = {"TORCH_FR_BUFFER_SIZE": "7"}
    assert run(many, 1, tmp_path, environment=few) == [list(range(44, 51))]
    (tmp_path / "none").mkdir()
    assert run(many, 1, tmp_path / "none", environment={"TORCH_FR_BUFFER_SIZE": "0"}) == [[]]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("TORCH_FR_BUFFER_SIZE", "-1", "a whole number from 0 to 100000"),
        ("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "8 minutes", "a whole number from 1 to 1000000"),
        ("TORCH_NCCL_ENABLE_MONITORING", "maybe", "1 or 0, true or false"),
        ("TORCH_NCCL_ASYNC_ERROR_HANDLING", "4", "a whole number from 0 to 3"),
        ("OPWEAVE_DISTRIBUTED_DUMP_SIGNAL", "KILL", "USR1, USR2, HUP, QUIT, ALRM, VTALRM or PROF"),
    ],
)
def test_settings_that_say_nothing_are_refused(name, text, expected, tmp_path):
    with pytest.raises(AssertionError) as error:
        run(waits, 1, tmp_path, environment={name: text})
    assert f"ValueError: {name}={text}: expected {expected}" in str(error.value)


def fails(dist, rank, size):
    if rank == 0:
        dist.barrier()
    time.sleep(2)


def test_the_process_ends_where_the_policy_says_so(tmp_path):
    environment = dumps(tmp_path, TORCH_NCCL_ASYNC_ERROR_HANDLING="1")
    ranks = Ranks(fails, 2, tmp_path, timeout=0.5, environment=environment)
    for rank, process in enumerate(ranks.processes):
        _, said = process.communicate(timeout=20)
        assert process.returncode == -signal.SIGABRT
        assert f"opweave: rank {rank} of the group 'world': " in said
        assert "rank 1 did not come in time; rank 0 did" in said
        assert f"the flight record is in {tmp_path}/trace_rank_{rank}" in said
        assert "; with TORCH_" in said
        assert "TORCH_NCCL_ASYNC_ERROR_HANDLING=1" in said


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "missing" / "x"
    with pytest.raises(RuntimeError, match=rf"cannot be written: opening {path}.* No such file"):
        ow.distributed.trace.dump(path)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", "line 1 column 2"),
        ("[]", "this is no flight record: it has no entries"),
        ('{"entries": [{}]}', "this is no flight record: KeyError: 'rank'"),
        ('{"entries": 3, "pg_config": {}, "rank": 0}', "this is no flight record: TypeError"),
        ('{"entries": [], "rank": "<b>"}', "expected a whole number from 0 to 1000000, got '<b>'"),
        ('{"entries": [], "rank": 0, "pg_config": {"g": {"size": 10000000000}}}', "10000000000"),
        ('{"entries": ' + "[" * 100_000, "too deep"),
        ("\udcff", "codec can't decode"),
    ],
)
def test_files_that_are_no_records_are_named(text, wrong, tmp_path):
    from opweave.distributed.trace import records

    path = tmp_path / "trace_rank_0"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    traces, said = records.read_folder(tmp_path)
    assert traces == []
    assert said[0].startswith(f"{path}: ")
    assert wrong in said[0]


def test_the_interface_of_time_limits(tmp_path):
    """A call's own timeout is in the record."""
    (found,) = run(own_timeout, 1, tmp_path)
    assert found == [1500, 250]


def own_timeout(dist, rank, size):
    group = dist.new_group([0], timeout=timedelta(milliseconds=1500))
    dist.barrier(group=group)
    ow.ops.start_barrier(group, timeout=0.25)
    return [e["timeout_ms"] for e in dist.trace.flight_record()["entries"]]


def twice(dist, rank, size, meet):
    folder = Path(os.environ["TORCH_FR_DUMP_TEMP_FILE"]).parent
    for i in range(2):
        dist.init_process_group(
            "shm",
            init_method=f"file://{folder}/store{i}?rank={rank}&world_size={size}",
            timeout=timedelta(seconds=0.5),
        )
        if i == 0:
            for _ in range(5):
                dist.all_reduce(ow.ones(3))
            dist.destroy_process_group()
    pair = dist.new_group([1, 2])
    if rank == 1:
        with pytest.raises(dist.DistBackendError):
            dist.barrier(group=pair)
    if rank == 2:
        time.sleep(1)


def test_groups_of_one_name_are_told_apart(tmp_path):
    run(twice, 3, tmp_path, meets=False, environment=dumps(tmp_path))
    said, _ = trace_of(tmp_path)
    assert "world: all that is remembered agrees and has ended" in said
    assert re.search(r"number 0: barrier: rank 1 came .*, rank 2 did not", said)


def silent(dist, rank, size):
    """With a pipe for errors that takes nothing more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 65536)
    os.set_blocking(writer, True)
    os.dup2(writer, 2)
    if rank == 1:
        time.sleep(2.5)
        os._exit(0)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError):
        dist.barrier()
    seconds = time.monotonic() - began
    os.close(reader)
    return seconds


def test_a_report_that_nobody_reads_holds_nobody_up(tmp_path):
    ranks = Ranks(silent, 2, tmp_path, timeout=0.5, environment=dumps(tmp_path))
    assert ranks.wait()[0] < 1.5


def test_a_pipe_or_link_beside_the_record_is_not_written_to(tmp_path):
    path, part = tmp_path / "x", tmp_path / f"x.part{os.getpid()}"
    os.mkfifo(part)
    assert ow.distributed.trace.dump(path) == str(path)
    (tmp_path / "mine").write_text("mine")
    part.symlink_to(tmp_path / "mine")
    ow.distributed.trace.dump(path)
    assert (tmp_path / "mine").read_text() == "mine"


def test_threads_that_write_to_one_place_do_not_meet(tmp_path):
    path = tmp_path / "x"

    def dump(_):
        for _ in range(50):
            ow.distributed.trace.dump(path)
            assert json.loads(path.read_text())["entries"] is not None

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(dump, range(4)))
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def alone(dist, rank, size):
    dist.monitored_barrier()
    child = os.fork()
    if child == 0:
        try:
            dist.monitored_barrier()
        except RuntimeError as error:
            os._exit(7 if "from which this one was forked" in str(error) else 8)
        os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_process_has_no_part_in_barriers(tmp_path):
    assert run(alone, 2, tmp_path) == [7, 7]
