"""Runs a function of a test module in several processes, each a rank of a group."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from datetime import timedelta

LIMIT = 60


class Ranks:
    """The processes of one run; what each function returned, or the text of what it raised."""

    def __init__(
        self,
        function,
        size,
        folder,
        backend="shm",
        timeout=20.0,
        environment=None,
        started=None,
        prefix=lambda rank: (),
        meets=True,
        **arguments,
    ):
        """`started` are the ranks that are (all); `prefix` is what their commands begin with.

        A function of ranks that have not met (`meets`) gets what makes them meet, as `meet`.
        """
        module = sys.modules[function.__module__].__file__
        task = {
            "module": module,
            "function": function.__name__,
            "size": size,
            "backend": backend,
            "timeout": timeout,
            "folder": str(folder),
            "path": sys.path,
            "meets": meets,
            "arguments": arguments,
        }
        environment = dict(os.environ, OMP_NUM_THREADS="1", **(environment or {}))
        self.processes = [
            subprocess.Popen(
                [*prefix(rank), sys.executable, __file__, json.dumps(task | {"rank": rank})],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            for rank in (range(size) if started is None else started)
        ]

    def wait(self):
        """The results, by rank; None for one that ended without any, which the caller expects."""
        results, end = [], time.monotonic() + LIMIT
        for rank, process in enumerate(self.processes):
            try:
                out, error = process.communicate(timeout=max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                for other in self.processes:
                    other.kill()
                raise AssertionError(f"rank {rank} did not end within {LIMIT}s") from None
            lines = [line for line in out.splitlines() if line.startswith("RESULT ")]
            results.append(json.loads(lines[-1][7:]) if lines else None)
            assert lines or process.returncode != 1, f"rank {rank}: {error}"
        return results


def run(function, size, folder, **options):
    """Runs function(dist, rank, size, **arguments) in `size` processes; what each returned. All return."""
    ranks = Ranks(function, size, folder, **options)
    results = ranks.wait()
    ended = {rank: p.returncode for rank, p in enumerate(ranks.processes) if p.returncode != 0}
    assert not ended, f"ranks ended with the status {ended}"
    return results


def main(task):
    sys.path[:] = task["path"]
    import opweave.distributed as dist

    spec = importlib.util.spec_from_file_location("ranks_of_test", task["module"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # what is pickled is looked for there
    sys.modules["ranks"] = sys.modules[__name__]
    spec.loader.exec_module(module)
    arguments = task["arguments"]

    def meet():
        folder, rank, size = task["folder"], task["rank"], task["size"]
        dist.init_process_group(
            task["backend"],
            init_method=f"file://{folder}/store?rank={rank}&world_size={size}",
            timeout=timedelta(seconds=task["timeout"]),
        )

    if task["meets"]:
        meet()
    else:
        arguments["meet"] = meet
    result = getattr(module, task["function"])(dist, task["rank"], task["size"], **arguments)
    if dist.is_initialized():
        dist.destroy_process_group()
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
