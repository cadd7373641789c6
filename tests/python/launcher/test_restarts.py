"""After a failure all processes start again, as often as allowed, and nothing is left of those before."""

import json

from support.launcher import launch, lives

HEAD = """
import json, os, sys, time
attempt, rank = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), int(os.environ["RANK"])
"""


def test_all_start_again(tmp_path):
    code, out, error = launch(
        tmp_path,
        HEAD
        + """
import opweave as ow
import opweave.distributed as dist
dist.init_process_group()
x = ow.ones(1) * (attempt + 1)
dist.all_reduce(x)
store = dist.group.WORLD and dist._groups.world.groups[dist.group.WORLD].store
print(attempt, os.environ["TORCHELASTIC_MAX_RESTARTS"], int(x.item()), store.add("runs", 1) <= 2)
if attempt < 2 and rank == attempt:
    raise RuntimeError(f"failure {attempt}")
dist.barrier()
dist.destroy_process_group()
""",
        *("--nproc-per-node=2", "--max-restarts=3", "--log-dir", tmp_path / "logs"),
    )
    assert code == 0, error
    expected = [f"{attempt} 3 {2 * (attempt + 1)} True" for attempt in range(3)]
    for rank in range(2):
        lines = [line for line in out.splitlines() if line.startswith(f"[rank{rank}]")]
        assert lines == [f"[rank{rank}]: {text}" for text in expected]
    for number in (1, 2):
        assert f"rank {number - 1} on " in error
        assert f"exit code 1; all start again ({number} of 3)" in error
    assert "FAILED" not in error
    (run,) = (tmp_path / "logs").iterdir()
    assert sorted(folder.name for folder in run.iterdir()) == [f"attempt_{i}" for i in range(3)]


def test_a_failure_while_they_start_counts(tmp_path):
    """Before they have met, and of several at once: one restart each time."""
    program = (
        HEAD
        + "print(attempt)\nif attempt or rank == 1: raise ValueError(f'number {attempt}')\ntime.sleep(50)"
    )
    code, out, error = launch(tmp_path, program, "--nproc-per-node=2", "--max-restarts=2")
    assert code == 1
    assert {line.partition(" ")[2] for line in out.splitlines()} <= {"0", "1", "2"}
    assert "(2 of 2)" in error
    report = error[error.index("=" * 60) :]
    assert "after 2 restarts" in report
    assert report.rstrip().splitlines()[-2] == "    ValueError: number 2"


def test_a_signal_is_no_reason_to_start_again(tmp_path):
    program = (
        HEAD + "import signal\nif rank == 0: os.kill(os.getppid(), signal.SIGTERM)\ntime.sleep(50)"
    )
    code, _, error = launch(tmp_path, program, "--nproc-per-node=2", "--max-restarts=2")
    assert code == 1
    assert "SIGTERM was sent to the launcher" in error
    assert "start again" not in error


def test_twenty_restarts_leave_nothing_behind(tmp_path):
    program = (
        HEAD
        + """
import subprocess
launcher = f"/proc/{os.getppid()}"
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)
counts = [len(os.listdir(f"{launcher}/{what}")) for what in ("fd", "task")]
print(json.dumps([attempt, counts, [os.getpid(), child.pid]]), flush=True)
sys.exit(attempt < 20)
"""
    )
    code, out, error = launch(
        tmp_path,
        program,
        *("--max-restarts=20", "--log-line-prefix-template="),
        *("--tee=3", "--log-dir", tmp_path / "logs"),
    )
    assert code == 0, error
    seen = [json.loads(line) for line in out.splitlines()]
    assert [attempt for attempt, _, _ in seen] == list(range(21))
    assert len({tuple(counts) for _, counts, _ in seen}) == 1
    assert not any(lives(process) for _, _, processes in seen for process in processes)
