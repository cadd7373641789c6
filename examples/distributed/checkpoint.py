"""A training that can be stopped at any time: python -m opweave.distributed.run --nproc-per-node 2
checkpoint.py FILE, again and again until it is done.

A checkpoint holds all that decides what comes next: the step, the parameters, the optimiser, the scale of its
gradients, the place in the epoch, every rank's random states of every device, and, where gradients are
compressed (`--compress`), the order of buckets and what each rank has left behind. A run that was killed and
started again ends with the bits that one without a pause has; it prints a hash of them. `--die-at STEP` has
the last rank kill itself there.
"""

import argparse
import hashlib
import itertools
import os
import random
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import opweave as ow
import opweave.distributed as dist
from opweave import nn
from opweave.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from opweave.distributed.algorithms.ddp_comm_hooks.quantization_hooks import (
    QuantizationState,
    quantization_perchannel_hook,
)
from opweave.distributed.algorithms.ddp_comm_hooks.topk_hook import TopKState, topk_hook
from opweave.distributed.optim import ZeroRedundancyOptimizer
from opweave.utils.data import DistributedSampler

EVERY = 5  # steps
BATCH = 8
POINTS = 100
COMPRESSIONS: dict[str, tuple[Callable[[], Any], Any]] = {
    "topk": (TopKState, topk_hook),
    "powersgd": (lambda: PowerSGDState(start_powerSGD_iter=2), powerSGD_hook),
    "int8": (lambda: QuantizationState(channel_size=16), quantization_perchannel_hook),
}


@dataclass
class Run:
    """What a checkpoint holds of, beside the step and the random states."""

    model: nn.parallel.DistributedDataParallel
    optimizer: ZeroRedundancyOptimizer
    scaler: ow.amp.GradScaler
    sampler: DistributedSampler
    hook: Any  # the state of what compresses gradients; None where nothing does


def random_states() -> dict[str, Any]:
    """Of the host, of Python, and of every device of the accelerator."""
    states = {"host": ow.get_rng_state(), "python": random.getstate()}
    if (device := ow.accelerator.current_accelerator(check_available=True)) is not None:
        kind = device.type
        states[kind] = getattr(ow, kind).get_rng_state_all()
    return states


def set_random_states(states: dict[str, Any]) -> None:
    ow.set_rng_state(states.pop("host"))
    random.setstate(states.pop("python"))
    for kind, of_devices in states.items():
        getattr(ow, kind).set_rng_state_all(of_devices)


def save(file: Path, step: int, run: Run) -> None:
    """A call of every rank; rank 0 writes: the whole file, or the one before stays."""
    run.optimizer.consolidate_state_dict(to=0)
    everyones: list[Any] | None = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    own = {"random": random_states(), "hook": run.hook and run.hook.state_dict(run.model.module)}
    dist.gather_object(own, everyones)
    if dist.get_rank() == 0:
        state = {
            "step": step,
            "model": run.model.state_dict(),
            "optimizer": run.optimizer.state_dict(),
            "scaler": run.scaler.state_dict(),
            "sampler": run.sampler.state_dict(),
            "buckets": run.model.bucket_order(),
            "ranks": everyones,
        }
        ow.save(state, file)


def load(file: Path, run: Run) -> int:
    """The step to go on with; a call of every rank."""
    state: list[Any] = [None]
    if dist.get_rank() == 0 and file.exists():
        state = [ow.load(file)]  # which says what is wrong with a file that is damaged
    dist.broadcast_object_list(state, src=0)
    if state[0] is None:
        return 0
    run.model.load_state_dict(state[0]["model"])
    run.optimizer.load_state_dict(state[0]["optimizer"])
    run.scaler.load_state_dict(state[0]["scaler"])
    run.sampler.load_state_dict(state[0]["sampler"])
    run.model.set_bucket_order(state[0]["buckets"])
    if dist.get_rank() < len(state[0]["ranks"]):  # there may be more ranks than before
        own = state[0]["ranks"][dist.get_rank()]
        set_random_states(own["random"])
        if run.hook is not None:
            run.hook.load_state_dict(run.model.module, own["hook"])
    step: int = state[0]["step"]
    return step


def batches(sampler: DistributedSampler) -> Iterator[list[int]]:
    """What is left of the epoch that the sampler is in, and then of others."""
    for epoch in itertools.count(sampler.epoch):
        sampler.set_epoch(epoch)
        indices = iter(sampler)
        while batch := list(itertools.islice(indices, BATCH)):
            yield batch


def main(given: argparse.Namespace) -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    points = ow.randn(POINTS, 2, generator=ow.Generator().manual_seed(1))
    rings = (points.square().sum(1, keepdim=True) > 1.4).float()
    ow.manual_seed(rank)  # each rank drops out others
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Dropout(0.2), nn.Linear(16, 1))
    )
    hook = None
    if given.compress is not None:
        state, function = COMPRESSIONS[given.compress]
        hook = state()
        model.register_comm_hook(hook, function)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), ow.optim.Adam, lr=0.01)
    scaler = ow.amp.GradScaler("cpu", growth_interval=4)
    sampler = DistributedSampler(points)
    run = Run(model, optimizer, scaler, sampler, hook)
    first = load(given.file, run)
    for step, batch in enumerate(itertools.islice(batches(sampler), given.steps - first), first):
        if step == given.die_at and rank == dist.get_world_size() - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(points[batch]), rings[batch])
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if (step + 1) % EVERY == 0 or step + 1 == given.steps:
            save(given.file, step + 1, run)
    values = [value for p in model.parameters() for value in p.detach().flatten().tolist()]
    digest = hashlib.sha256(repr((values, scaler.state_dict())).encode()).hexdigest()[:16]
    print(f"rank {rank}: steps {first} to {given.steps}, parameters {digest}")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--die-at", type=int)
    parser.add_argument("--compress", choices=COMPRESSIONS)
    main(parser.parse_args())
