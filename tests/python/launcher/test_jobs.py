"""Programs that mpirun and Slurm start need no launcher: env:// understands their variables."""

import os
import shutil
import subprocess
import sys

import opweave.distributed as dist
import pytest
from opweave.distributed._job import first_host, job
from support.launcher import environment, written

PROGRAM = """
import opweave as ow
import opweave.distributed as dist
dist.init_process_group("gloo")
x = ow.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(x)
print(dist.get_rank(), dist.get_world_size(), dist.get_node_local_rank(), int(x.item()), flush=True)
dist.destroy_process_group()
"""
NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")


@pytest.fixture(autouse=True)
def nobody_started(monkeypatch):
    for name in list(os.environ):
        if name in NAMES or name.startswith(("OMPI_", "SLURM_", "PMIX_")):
            monkeypatch.delenv(name)


def slurm(rank, size, **more):
    """What srun sets."""
    return {
        "SLURM_PROCID": str(rank),
        "SLURM_LOCALID": str(rank),
        "SLURM_NTASKS": str(size),
        "SLURM_STEP_NUM_TASKS": str(size),
        "SLURM_STEP_NUM_NODES": "1",
        "SLURM_STEP_NODELIST": "node7",
        "SLURM_JOB_ID": str(os.getpid()),
        "SLURM_STEP_ID": "0",
        **more,
    }


def told(monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs openmpi-bin")
def test_under_mpirun(tmp_path):
    command = ("mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root")
    folder = ("--mca", "orte_tmpdir_base", str(tmp_path))
    done = subprocess.run(
        [*command, *folder, sys.executable, written(tmp_path, PROGRAM)],
        capture_output=True,
        text=True,
        env=environment(HOME=str(tmp_path)),
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 2 0 3", "1 2 1 3"]


def test_in_a_step_of_slurm(tmp_path):
    script = written(tmp_path, PROGRAM)
    started = [
        subprocess.Popen(
            [sys.executable, script],
            env=environment(**slurm(rank, 2)),
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    assert [process.communicate(timeout=60)[0] for process in started] == ["0 2 0 3\n", "1 2 1 3\n"]


def test_a_job_of_several_hosts(monkeypatch):
    told(monkeypatch, slurm(5, 8, SLURM_STEP_NUM_NODES="2", SLURM_STEP_NODELIST="n[07-08]"))
    assert (job().host, job().rank, job().size) == ("n07", "5", "8")
    port = job().port
    assert 20000 <= port < 30000
    assert job().port == port
    monkeypatch.setenv("SLURM_STEP_ID", "1")
    assert job().port != port
    monkeypatch.delenv("SLURM_STEP_NUM_TASKS")  # a job's script, which srun has not started
    assert job() is None


def test_mpirun_does_not_tell_the_host(monkeypatch):
    counts = {"RANK": "1", "SIZE": "4", "LOCAL_RANK": "1", "LOCAL_SIZE": "2"}
    told(monkeypatch, {f"OMPI_COMM_WORLD_{name}": text for name, text in counts.items()})
    text = "environment variable MASTER_ADDR expected, but not set, and mpirun does not tell it"
    with pytest.raises(ValueError, match=text):
        dist.init_process_group("gloo")
    assert dist.get_node_local_rank() == 1


def test_the_launchers_own_variables_come_first(monkeypatch):
    told(monkeypatch, slurm(1, 2) | {"RANK": "0", "LOCAL_RANK": "3"})
    with pytest.raises(ValueError, match=r"environment variable WORLD_SIZE expected, but not set$"):
        dist.init_process_group("gloo")
    assert dist.get_node_local_rank() == 3


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("node7", "node7"),
        ("a,b", "a"),
        ("node[07-09,12],login", "node07"),
        ("node[3,5]", "node3"),
        ("rack[1-2]node[07-09]", "rack1node07"),
        ("n[1-2].example.org", "n1.example.org"),
        ("", ""),
    ],
)
def test_the_first_of_a_list_of_hosts(nodes, first):
    assert first_host(nodes) == first
