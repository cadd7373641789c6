"""A training that goes on after a process died: python -m opweave.distributed.run --nproc-per-node 2
--max-restarts 3 restart.py CHECKPOINT.

Rank 0 writes a checkpoint every few steps. When a process dies the launcher starts all of them again, and
they go on from the last one. `--die-at STEP` makes the last rank kill itself there,
in the first attempt alone.
Written for PyTorch: `--with torch` runs it there, under torchrun.
"""

import argparse
import importlib
import os
import signal
from pathlib import Path
from typing import Any

EVERY = 4  # steps


def save(file: Path, state: dict[str, Any], torch: Any) -> None:
    """Whole, or not at all: who dies while writing leaves the checkpoint before."""
    new = file.with_name(file.name + ".new")
    try:
        torch.save(state, new)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


def last(file: Path, torch: Any, dist: Any) -> Any:
    """Rank 0's checkpoint, for all; None where there is none."""
    state: list[Any] = [None]
    if dist.get_rank() == 0 and file.exists():
        state = [torch.load(file)]
    dist.broadcast_object_list(state, src=0)
    return state[0]


def batch(torch: Any, step: int, rank: int) -> tuple[Any, Any]:
    """What a rank learns in a step: points, and in which of two rings they lie."""
    torch.manual_seed(1000 * step + rank)
    points = torch.randn(32, 2)
    return points, (points.square().sum(1, keepdim=True) > 1.4).to(torch.float32)


def main(given: argparse.Namespace) -> None:
    torch = importlib.import_module(given.library)
    dist = importlib.import_module(f"{given.library}.distributed")
    nn = torch.nn
    dist.init_process_group("gloo")
    rank, attempt = dist.get_rank(), int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    state, first = last(given.checkpoint, torch, dist), 0
    if state is not None:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    parallel = nn.parallel.DistributedDataParallel(model)
    for step in range(first, given.steps):
        if step == given.die_at and attempt == 0 and rank == dist.get_world_size() - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        points, rings = batch(torch, step, rank)
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(parallel(points), rings)
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss := loss.detach())
        if rank == 0:
            print(f"attempt {attempt}, step {step}: loss {loss.item() / dist.get_world_size():.6f}")
            if (step + 1) % EVERY == 0 or step + 1 == given.steps:
                state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
                save(given.checkpoint, state | {"step": step + 1}, torch)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--die-at", type=int)
    parser.add_argument("--with", dest="library", default="opweave", choices=["opweave", "torch"])
    main(parser.parse_args())
