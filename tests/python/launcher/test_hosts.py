"""Several launchers on this host: they start together, hear of failures elsewhere, and end together."""

import contextlib
import json
import signal
import socket
import time

import pytest
from support.launcher import finish, lives, start, wait_for, written

TELL = """
import json, os
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE")
names += ("ROLE_RANK",)
import opweave as ow
import opweave.distributed as dist
dist.init_process_group("gloo")
x = ow.ones(1) * dist.get_rank()
dist.all_reduce(x)
print(json.dumps([*(int(os.environ[name]) for name in names), int(x.item())]), flush=True)
dist.barrier()
dist.destroy_process_group()
"""
HEAD = """
import os, sys, time
attempt, rank = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), int(os.environ["RANK"])
open(f"up{rank}.{attempt}", "w").write(str(os.getpid()))
"""
QUICK = "keep_alive_interval=0.3,keep_alive_max_attempt=3,join_timeout=20,last_call_timeout=1"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def static(rank, port, *flags, nodes=2):
    return (
        *(f"--nnodes={nodes}", f"--node-rank={rank}", f"--master-port={port}"),
        *(f"--local-addr=host{rank}", f"--rdzv-conf={QUICK}", *flags),
    )


def c10d(name, port, *flags, nodes=2):
    return (
        *(f"--nnodes={nodes}", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{port}"),
        *("--rdzv-id=run", f"--local-addr={name}", f"--rdzv-conf={QUICK}", *flags),
    )


@contextlib.contextmanager
def launchers(folder, program, *flags):
    """One for each tuple of flags. None is left when the test ends."""
    script = written(folder, program)
    started = [start(script, *each, cwd=folder) for each in flags]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()


def finished(folder, program, *flags):
    """What each launcher came to: exit status, stdout, stderr."""
    with launchers(folder, program, *flags) as started:
        return [finish(process) for process in started]


def variables(ends):
    """What the ranks of each launcher printed."""
    assert [code for code, _, _ in ends] == [0] * len(ends), [error for _, _, error in ends]
    return [
        sorted(json.loads(line.partition(" ")[2]) for line in out.splitlines())
        for _, out, _ in ends
    ]


def test_hosts_with_given_ranks(tmp_path):
    """Of different numbers of processes; the one that serves comes last."""
    port = free_port()
    second, first = variables(
        finished(tmp_path, TELL, static(1, port), static(0, port, "--nproc-per-node=2"))
    )
    assert first == [[0, 0, 3, 2, 0, 2, 0, 3], [1, 1, 3, 2, 0, 2, 1, 3]]
    assert second == [[2, 0, 3, 1, 1, 2, 2, 3]]


def test_hosts_with_one_command(tmp_path):
    port = free_port()
    told = variables(finished(tmp_path, TELL, *[c10d(name, port, nodes=3) for name in "abc"]))
    assert sorted(rank for ranks in told for rank in ranks) == [
        [rank, 0, 3, 1, rank, 3, rank, 3] for rank in range(3)
    ]


def test_as_many_as_come(tmp_path):
    """At least one, at most three: the short last call brings two, and the third comes too late."""
    port = free_port()
    flags = [c10d(name, port, nodes="1:3") for name in "abc"]
    program = (
        HEAD + "print(os.environ['WORLD_SIZE'])\nwhile not os.path.exists('end'): time.sleep(0.05)"
    )
    with launchers(tmp_path, program, *flags[:2]) as started:
        wait_for(lambda: len(list(tmp_path.glob("up*"))) == 2, "two have started")
        ((code, out, error),) = finished(tmp_path, program, flags[2])
        assert (code, out) == (1, "")
        assert "the run 'run' has begun without this host, with " in error
        (tmp_path / "end").touch()
        ends = [finish(process) for process in started]
    assert sorted((code, out) for code, out, _ in ends) == [
        (0, "[rank0]: 2\n"),
        (0, "[rank1]: 2\n"),
    ]


@pytest.mark.parametrize("failing", [0, 1])
def test_a_failure_ends_all_at_once(tmp_path, failing):
    port = free_port()
    program = HEAD + f"if rank == {failing}: raise ValueError('it went wrong')\ntime.sleep(100)"
    began = time.monotonic()
    ends = finished(tmp_path, program, static(0, port), static(1, port))
    assert time.monotonic() - began < 15
    for code, _, error in ends:
        assert code == 1
        report = error[error.index("=" * 60) :]
        assert f"host      : host{failing}\n  rank      : {failing} (local_rank: 0)" in report
        assert report.rstrip().splitlines()[-2] == "    ValueError: it went wrong"
        assert "Other failures" not in report


def test_all_hosts_start_again(tmp_path):
    port = free_port()
    program = HEAD + TELL.replace("dist.barrier()", "assert attempt or rank == 0\ndist.barrier()")
    flags = [c10d(name, port, "--max-restarts=1") for name in "ab"]
    ends = finished(tmp_path, program, *flags)
    assert [code for code, _, _ in ends] == [0, 0], ends
    for _, out, error in ends:
        assert out.splitlines()[-1].endswith(", 1]")  # the sum of both ranks
        assert "rank 1 on " in error
        assert "exit code 1; all start again (1 of 1)" in error
    assert sorted(file.name for file in tmp_path.glob("up*")) == [
        "up0.0",
        "up0.1",
        "up1.0",
        "up1.1",
    ]


@pytest.mark.parametrize("killed", [0, 1])
def test_a_launcher_that_is_killed(tmp_path, killed):
    """Its own processes end with it, and those of the other host soon after."""
    port = free_port()
    with launchers(tmp_path, HEAD + "time.sleep(100)", static(0, port), static(1, port)) as started:
        files = [tmp_path / f"up{rank}.0" for rank in range(2)]
        wait_for(lambda: all(f.exists() and f.read_text() for f in files), "both have started")
        started[killed].kill()
        code, _, error = finish(started[1 - killed])
        assert code == 1
        assert f"the launcher on host{killed}" in error
        assert "is gone" in error
        assert "Traceback" not in error
        wait_for(lambda: not any(lives(int(f.read_text())) for f in files), "all end", 5)


@pytest.mark.parametrize("stopped", [0, 1])
def test_a_launcher_that_is_stopped(tmp_path, stopped):
    """As one whose host is cut off."""
    port = free_port()
    with launchers(tmp_path, HEAD + "time.sleep(30)", static(0, port), static(1, port)) as started:
        wait_for(lambda: len(list(tmp_path.glob("up*"))) == 2, "both have started")
        started[stopped].send_signal(signal.SIGSTOP)
        began = time.monotonic()
        code, _, error = finish(started[1 - stopped])
        assert code == 1
        assert time.monotonic() - began < 15
        assert f"the launcher on host{stopped}" in error
        assert "is gone" in error


@pytest.mark.parametrize("killed", [0, 1])
def test_a_launcher_that_dies_before_it_comes_to_the_restart(tmp_path, killed):
    """The other one waits for it, and hears of it as soon as in an attempt."""
    port = free_port()
    program = f"""
import os, signal, sys, time
rank = int(os.environ["RANK"])
if rank == {killed}:  # whose launcher has to wait for its end
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(f"up{{rank}}", "w").write(str(os.getpid()))
while not os.path.exists("up0") or not os.path.exists("up1"): time.sleep(0.05)
time.sleep(0.3)
if rank != {killed}: sys.exit(3)
time.sleep(100)
"""
    flags = [static(rank, port, "--max-restarts=2") for rank in range(2)]
    with launchers(tmp_path, program, *flags) as started:
        other = started[1 - killed]
        line = other.stderr.readline()
        while "all start again (1 of 2)" not in line:
            assert line, "it has ended"
            line = other.stderr.readline()
        began = time.monotonic()
        started[killed].kill()
        code, _, error = finish(other)
        seconds = time.monotonic() - began
    assert code == 1
    assert seconds < 6
    assert "not all hosts came to the restart: " in error
    assert f"the launcher on host{killed}" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("failing", [0, 1])
def test_a_second_failure_during_the_restart(tmp_path, failing):
    """A rank dies in the first attempt, and one again before all have met in the second."""
    port = free_port()
    program = HEAD + TELL.replace(
        'dist.init_process_group("gloo")',
        f"if attempt == 1 and rank == {failing}: os.kill(os.getpid(), 9)\n"
        'dist.init_process_group("gloo")\n'
        "if attempt == 0 and rank == 1: os.kill(os.getpid(), 9)",
    )
    began = time.monotonic()
    ends = finished(
        tmp_path, program, *[static(rank, port, "--max-restarts=2") for rank in range(2)]
    )
    assert time.monotonic() - began < 30
    for code, out, error in ends:
        assert code == 0, error
        assert out.splitlines()[-1].endswith(", 1]")
        for number in (1, 2):
            assert f"all start again ({number} of 2)" in error


def test_a_signal_to_one_ends_all(tmp_path):
    port = free_port()
    with launchers(tmp_path, HEAD + "time.sleep(100)", static(0, port), static(1, port)) as started:
        wait_for(lambda: len(list(tmp_path.glob("up*"))) == 2, "both have started")
        started[1].send_signal(signal.SIGTERM)
        for process in started:
            code, _, error = finish(process)
            assert code == 1
            assert "SIGTERM was sent to the launcher on host1" in error


def test_a_signal_while_others_are_waited_for(tmp_path):
    with launchers(tmp_path, "", static(0, free_port())) as (process,):
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        code, out, error = finish(process)
    assert (code, out) == (1, "")
    assert "received SIGINT" in error
    assert "Traceback" not in error


def test_who_does_not_come(tmp_path):
    conf = "--rdzv-conf=join_timeout=0.5,timeout=0.5"
    ((code, _, error),) = finished(tmp_path, "", static(0, free_port(), conf, nodes=3))
    assert code == 1
    assert "1 of 3 hosts came within 0.5 s (--rdzv-conf join_timeout): host0" in error
    port = free_port()
    ((code, _, error),) = finished(tmp_path, "", static(1, port, conf))
    assert code == 1
    assert f"no launcher is found at 127.0.0.1:{port}: " in error


def test_hosts_that_disagree(tmp_path):
    port = free_port()
    ends = finished(tmp_path, "", static(0, port), static(1, port, "--max-restarts=2"))
    for code, _, error in ends:
        assert code == 1
        assert (
            "--max-restarts must be the same on all hosts, got 0 on host0 and 2 on host1" in error
        )
    port = free_port()
    conf = "--rdzv-conf=join_timeout=1.5"
    flags = [static(rank, port, conf, nodes=3) for rank in (0, 1, 1)]
    ends = finished(tmp_path, "", *flags)
    assert any("--node-rank: 1 is taken by a launcher on host1" in error for _, _, error in ends)


def test_a_secret_that_is_another(tmp_path):
    port = free_port()
    script = written(tmp_path, "")
    first = start(script, *static(0, port), more={"OPWEAVE_STORE_SECRET": "one"})
    second = start(script, *static(1, port), more={"OPWEAVE_STORE_SECRET": "two"})
    code, _, error = finish(second)
    first.kill()
    first.communicate()
    assert code == 1
    assert "the client's secret is not the store's" in error
