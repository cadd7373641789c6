"""Processes of one group as a contender: each call is timed on every rank; the slowest rank's median counts.

Started with the name of a package, a backend and a size, this imports the package once and forks the
processes. It reads lines of what to call, bytes, runs and a port, and answers with the slowest median.
"""

import importlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache, partial
from statistics import median
from typing import Any

import link
import models
from measure import Sampler

# Where the system takes no ports for connections that are made meanwhile.
PORTS = iter(range(20000 + os.getpid() % 8000, 32000))
ROOT = 0
LIMIT_SECONDS = 120


def free_port() -> int:
    for port in PORTS:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no port is free")


class Ranks:
    """The processes of a group, which end with it. They make it when the first of its calls is timed."""

    def __init__(self, package: str, backend: str, size: int, hosts: Sequence[str] = ()) -> None:
        """On `hosts`, by rank (link.py), or on this one."""
        self._name = f"{size} ranks of {package}'s {backend}"
        self._herald = subprocess.Popen(
            [sys.executable, __file__, package, backend, str(size), *hosts],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            start_new_session=True,
        )

    def __del__(self) -> None:
        os.killpg(self._herald.pid, signal.SIGKILL)
        self._herald.wait()

    def time(self, call: str, nbytes: int, runs: int) -> float:
        assert self._herald.stdin is not None
        assert self._herald.stdout is not None
        print(call, nbytes, runs, free_port(), sep="\t", file=self._herald.stdin)
        there, _, _ = select.select([self._herald.stdout], [], [], LIMIT_SECONDS)
        answer = self._herald.stdout.readline() if there else ""
        if not answer:
            raise RuntimeError(f"{self._name}: {call} " + ("failed" if there else "hangs"))
        return float(answer)

    def sampler(self, call: str, nbytes: int) -> Sampler:
        """At least five calls in each sample, as a median of fewer says little."""
        return lambda runs: self.time(call, nbytes, max(runs, 5)) * runs

    def sampler_of_groups(self) -> Sampler:
        """A group is made and destroyed, by processes that have none."""
        return lambda runs: sum(self.time("group", 0, 1) for _ in range(runs))


class Rank:
    """One of the processes."""

    def __init__(
        self, package: str, backend: str, rank: int, size: int, hosts: Sequence[str] = ()
    ) -> None:
        self._address = link.ADDRESSES[0] if hosts else "127.0.0.1"
        if hosts:
            first = hosts[rank] == hosts[0]
            link.move_to(hosts[rank], link.ENDS[0] if first else link.ENDS[1])
        self._library = importlib.import_module(package)
        self._dist = importlib.import_module(f"{package}.distributed")
        self._backend, self._rank, self._size = backend, rank, size
        self._library.set_num_threads(1)
        self._ends: dict[str, Callable[[], None]] = {}  # of what is still under way after a call

    def _init(self, port: int) -> None:
        self._dist.init_process_group(
            self._backend,
            init_method=f"tcp://{self._address}:{port}",
            rank=self._rank,
            world_size=self._size,
            timeout=timedelta(seconds=LIMIT_SECONDS / 2),
        )

    def _make_and_destroy(self, port: int) -> None:
        self._init(port)
        # PyTorch's fails in some process where another has made and destroyed its own before.
        self._dist.barrier()
        self._dist.destroy_process_group()

    @cache  # noqa: B019
    def _collective(self, name: str, nbytes: int) -> Callable[[], Any]:
        """`nbytes` are those of the larger tensor."""
        dist = self._dist
        count = max(nbytes // 4, 1)
        whole, share = self._library.ones(count), self._library.ones(max(count // self._size, 1))
        other = self._library.empty_like(whole)
        return {
            "all_gather": lambda: dist.all_gather_into_tensor(whole, share),
            "all_reduce": lambda: dist.all_reduce(whole),
            "all_to_all": lambda: dist.all_to_all_single(other, whole),
            "barrier": dist.barrier,
            "broadcast": lambda: dist.broadcast(whole, ROOT),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(share, whole),
        }[name]

    @cache  # noqa: B019
    def _step(self, name: str) -> Callable[[], Any]:
        """Of training: "mlp", data-parallel; "mlp alone"; "mlp with topk", a hook; "mlp in 0.1", buckets.

        "mlp scheduled", steps behind the next pass, by next use; "mlp unordered", the same as gradients come.
        """
        name, _, how = name.partition(" ")
        model, inputs = getattr(models, name)(self._library)
        lags = how in ("scheduled", "unordered")
        if how != "alone":
            options = {"bucket_cap_mb": float(how[3:])} if how.startswith("in ") else {}
            if lags:
                options = {"bucket_cap_mb": 1, "gradient_as_bucket_view": True}
            model = self._library.nn.parallel.DistributedDataParallel(model, **options)
        if how.startswith("with "):
            models.compress(self._library, model, how.removeprefix("with "))
        if not lags:
            return models.step(self._library, model, inputs)
        optim = importlib.import_module(f"{self._dist.__name__}.optim")
        scheduler = self._dist.Scheduler(round_mb=0.25 if how == "scheduled" else 1000)

        def wrap(made: Any) -> Any:
            lagging = optim.ScheduledOptimizer(made, model, scheduler, how == "scheduled")
            self._ends[name] = lagging.synchronize
            return lagging

        return models.step(self._library, model, inputs, wrap)

    @cache  # noqa: B019
    def _behind(self, scheduled: bool, nbytes: int) -> Callable[[], float]:
        """An all_reduce of 4 bytes that is called behind one of `nbytes`: how long it takes."""
        large, small = self._library.ones(nbytes // 4), self._library.ones(1)
        dist = self._dist
        scheduler = dist.Scheduler(round_mb=0.25) if scheduled else None

        def run() -> float:
            began = time.perf_counter()
            if scheduler is None:
                slow = dist.all_reduce(large, async_op=True)
                dist.all_reduce(small)
            else:
                slow = scheduler.all_reduce(large)
                scheduler.all_reduce(small, priority=1).wait()
            taken = time.perf_counter() - began
            slow.wait()
            return taken

        return run

    def time(self, call: str, nbytes: int, runs: int, port: int) -> float:
        if call == "group":
            return median(_times(lambda: self._make_and_destroy(port), runs))
        if not self._dist.is_initialized():
            self._init(port)
        if call in ("queued", "urgent"):
            body: Callable[[], Any] = self._behind(call == "urgent", nbytes)
        elif hasattr(models, call.partition(" ")[0]):
            body = self._step(call)
        else:
            body = self._collective(call, nbytes)
        self._dist.barrier()
        times = _times(body, runs)
        for end in self._ends.values():
            end()
        return median(times)


def _times(body: Callable[[], Any], runs: int) -> list[float]:
    """Of calls, or what they return."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        taken = body()
        times.append(taken if isinstance(taken, float) else time.perf_counter() - began)
    return times


def _serve(rank: Rank, asked, answers) -> None:
    for line in asked:
        call, nbytes, runs, port = line.split("\t")
        print(rank.time(call, int(nbytes), int(runs), int(port)), file=answers, flush=True)


def _fork(make: Callable[[], Rank], before: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Where to ask the new process, and where it answers."""
    asked, ask = os.pipe()
    answers, answer = os.pipe()
    if os.fork() == 0:
        os.close(ask)  # or nobody would see the end of the herald, nor of those forked before
        for other, _ in before:
            other.close()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whose end tells that the herald failed
        _serve(make(), os.fdopen(asked), os.fdopen(answer, "w"))
        os._exit(0)
    os.close(asked)
    os.close(answer)
    return os.fdopen(ask, "w", 1), os.fdopen(answers)


def main(package: str, backend: str, size: str, *hosts: str) -> None:
    importlib.import_module(f"{package}.distributed")
    ranks: list[tuple[Any, Any]] = []
    for rank in range(int(size)):
        ranks.append(_fork(partial(Rank, package, backend, rank, int(size), hosts), ranks))
    for line in sys.stdin:
        for ask, _ in ranks:
            ask.write(line)
        print(max(float(answers.readline()) for _, answers in ranks), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
