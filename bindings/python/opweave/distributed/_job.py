"""What mpirun and Slurm say of this process, for programs that they start without a launcher of ours."""

import hashlib
import os
import re
from dataclasses import dataclass

# Ports that systems do not give to connections: those of jobs on one host should differ.
_FIRST_PORT, _PORTS = 20000, 10000
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Job:
    """The place of this process among those of its job."""

    starter: str
    rank: str
    size: str
    local_rank: str
    host: str  # of rank 0; empty where that is not known
    name: str  # of the job, alike in all its processes and nowhere else

    @property
    def port(self):
        """Where rank 0 serves the store, if nobody says otherwise."""
        number = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:4], "big")
        return _FIRST_PORT + number % _PORTS


def job():
    """The job that this process is of; None where nobody started one."""
    return _of_mpirun() or _of_slurm()


def _of_mpirun():
    told = {
        name: os.environ.get(f"OMPI_COMM_WORLD_{name}")
        for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")
    }
    if told["RANK"] is None or told["SIZE"] is None:
        return None
    name = os.environ.get("PMIX_NAMESPACE", "")
    host = _LOOPBACK if told["LOCAL_SIZE"] == told["SIZE"] else ""
    local_rank = told["LOCAL_RANK"] or ""
    return Job("mpirun", told["RANK"], told["SIZE"], local_rank, host, f"mpirun {name}")


def _of_slurm():
    """In a step, as srun makes them: the script of a job has a rank as well, and is alone."""
    rank, size = os.environ.get("SLURM_PROCID"), os.environ.get("SLURM_STEP_NUM_TASKS")
    if rank is None or size is None:
        return None
    nodes = os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_JOB_NODELIST", "")
    alone = os.environ.get("SLURM_STEP_NUM_NODES") == "1"
    ids = [os.environ.get(f"SLURM_{of}_ID", "") for of in ("JOB", "STEP")]
    local_rank = os.environ.get("SLURM_LOCALID", "")
    host = _LOOPBACK if alone else first_host(nodes)
    return Job("Slurm", rank, size, local_rank, host, "Slurm " + ".".join(ids))


def first_host(nodes):
    """`rack1node07` of `rack[1-2]node[07-09,12],login`: rank 0 is on the first host of a step."""
    first = re.match(r"(?:[^,\[]|\[[^\]]*\])*", nodes)[0]
    return re.sub(r"\[([^\],-]*)[^\]]*\]", r"\1", first)
