"""Runs functions of test modules in processes that mpirun starts, each a rank of a group over 'mpi'."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import traceback
from datetime import timedelta
from pathlib import Path

LIMIT = 120
# What keeps mpirun from ending all where one ends: docs/failures.md.
RECOVER = ("--enable-recovery", "--mca", "orte_abort_on_non_zero_status", "0")


class Mpirun:
    """One run: in `size` processes the functions of `steps`, [file, name, arguments], one after another."""

    def __init__(
        self,
        steps,
        size,
        folder,
        timeout=20.0,
        environment=None,
        options=(),
        meets=True,
        limit=LIMIT,
    ):
        self.folder, self.size, self.limit = Path(folder), size, limit
        task = {
            "steps": [[str(file), name, arguments] for file, name, arguments in steps],
            "timeout": timeout,
            "folder": str(folder),
            "path": sys.path,
            "meets": meets,
        }
        kept = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE")}
        self.process = subprocess.Popen(
            [
                *("mpirun", "-n", str(size), "--oversubscribe", "--allow-run-as-root"),
                *("--mca", "orte_tmpdir_base", str(folder)),
                *("--mca", "btl_vader_backing_directory", str(self._memory()), *options),
                *(sys.executable, __file__, json.dumps(task)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(kept, OMP_NUM_THREADS="1", **(environment or {})),
        )

    def _memory(self):
        """Where the ranks share memory."""
        path = self.folder / "memory"
        path.mkdir(exist_ok=True)
        return path

    def left(self):
        """What is there of it after its end: processes, memory, folders of mpirun."""
        processes = [r for r in range(self.size) if Path(f"/proc/{self.pid(r)}/exe").exists()]
        folders = [p for p in self.folder.glob("ompi.*/*/*") if p.is_dir()]
        return [*processes, *self._memory().iterdir(), *folders]

    def pid(self, rank):
        """The process of a rank, which has begun; 0 before that."""
        path = self.folder / f"pid_{rank}"
        return int(path.read_text() or 0) if path.exists() else 0

    def wait(self):
        """What the functions returned, by rank; None for a rank that did not come so far."""
        try:
            self.out, self.error = self.process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.out, self.error = self.process.communicate()
            raise AssertionError(f"mpirun did not end:\n{self.out}\n{self.error}") from None
        return [self._result(rank) for rank in range(self.size)]

    def _result(self, rank):
        path = self.folder / f"result_{rank}"
        result = json.loads(path.read_text()) if path.exists() else None
        assert not isinstance(result, str), f"rank {rank}: {result}"
        return result


def why_not():
    """Why nothing can be run here; empty where it can."""
    return "" if shutil.which("mpirun") else "mpirun is not installed (openmpi-bin)"


def _run(task, dist):
    timeout = timedelta(seconds=task["timeout"])
    if task["meets"]:
        dist.init_process_group("mpi", timeout=timeout)
    results = []
    for number, (file, name, arguments) in enumerate(task["steps"]):
        spec = importlib.util.spec_from_file_location(f"ranks_of_test_{number}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if not task["meets"]:
            arguments["meet"] = lambda: dist.init_process_group("mpi", timeout=timeout)
        rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
        size = int(os.environ["OMPI_COMM_WORLD_SIZE"])
        results.append(getattr(module, name)(dist, rank, size, **arguments))
    if dist.is_initialized():
        dist.destroy_process_group()
    return results


def main(task):
    sys.path[:] = task["path"]
    rank, folder = os.environ["OMPI_COMM_WORLD_RANK"], Path(task["folder"])
    (folder / f"pid_{rank}").write_text(str(os.getpid()))
    import opweave.distributed as dist

    try:
        result = _run(task, dist)
    except Exception:
        (folder / f"result_{rank}").write_text(json.dumps(traceback.format_exc()))
        raise
    (folder / f"result_{rank}").write_text(json.dumps(result))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
