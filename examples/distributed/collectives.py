"""Every collective, in a few processes: python collectives.py [processes].

Written for PyTorch: `--with torch` runs it there.
"""

import argparse
import importlib
import os
import socket
import subprocess
import sys
from datetime import timedelta
from typing import Any


def main(rank: int, size: int, library: str) -> None:
    torch = importlib.import_module(library)
    dist = importlib.import_module(f"{library}.distributed")
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))

    # What one has, all get.
    x = torch.full((2,), float(rank))
    dist.broadcast(x, src=1)
    show(rank, "broadcast", x)

    # Together: on all, on one, and a part on each.
    x = torch.full((2,), float(rank + 1))
    dist.all_reduce(x)
    show(rank, "all_reduce", x)
    x = torch.full((2,), float(rank + 1))
    dist.reduce(x, dst=0, op=dist.ReduceOp.MAX)
    show(rank, "reduce", x if rank == 0 else None)
    part = torch.zeros(2)
    dist.reduce_scatter_tensor(part, torch.arange(2.0 * size))
    show(rank, "reduce_scatter", part)

    # One behind the other: on all, on one, and shared out again.
    mine = torch.tensor([rank, rank * 10])
    everything = [torch.zeros_like(mine) for _ in range(size)]
    dist.all_gather(everything, mine)
    show(rank, "all_gather", torch.cat(everything))
    dist.gather(mine, everything if rank == 0 else None, dst=0)
    show(rank, "gather", torch.cat(everything) if rank == 0 else None)
    share = torch.zeros_like(mine)
    dist.scatter(share, everything if rank == 0 else None, src=0)
    show(rank, "scatter", share)

    # Something else for everyone.
    given = [torch.tensor([rank, to]) for to in range(size)]
    got = [torch.zeros_like(mine) for _ in range(size)]
    dist.all_to_all(got, given)
    show(rank, "all_to_all", torch.stack(got))

    # From one to another, without waiting.
    token = torch.zeros(1)
    work = dist.isend(torch.ones(1) * rank, (rank + 1) % size)
    dist.recv(token, (rank - 1) % size)
    work.wait()
    show(rank, "send and recv", token)

    # Started now, done later.
    x = torch.ones(3)
    work = dist.all_reduce(x, async_op=True)
    work.wait()
    show(rank, "all_reduce, later", x)

    # Python's objects, and a part of all processes.
    names = [None] * size
    dist.all_gather_object(names, f"rank {rank}")
    show(rank, "all_gather_object", names)
    pair = dist.new_group([0, 1])
    if rank < 2:
        x = torch.ones(1)
        dist.all_reduce(x, group=pair)
        show(rank, "all_reduce of a pair", x)

    dist.barrier()
    dist.destroy_process_group()


def show(rank: int, name: str, value: Any) -> None:
    if value is not None:
        value = value if isinstance(value, list) else value.tolist()
        print(f"rank {rank}: {name}: {value}\n", end="", flush=True)


def launch(size: int, library: str) -> int:
    """As many processes of this program, each told its rank. Returns how many failed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
    command = [sys.executable, __file__, "--with", library]
    processes = [
        subprocess.Popen(command, env=os.environ | where | {"RANK": str(rank)})
        for rank in range(size)
    ]
    return sum(process.wait() != 0 for process in processes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processes", type=int, nargs="?", default=2, choices=range(2, 5))
    parser.add_argument("--with", dest="library", default="opweave", choices=["opweave", "torch"])
    given = parser.parse_args()
    if "RANK" in os.environ:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), given.library)
    else:
        sys.exit(launch(given.processes, given.library))
