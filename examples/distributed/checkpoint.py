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
from pathlib import Path

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
COMPRESSIONS = {
    "topk": (TopKState, topk_hook),
    "powersgd": (lambda: PowerSGDState(start_powerSGD_iter=2), powerSGD_hook),
    "int8": (lambda: QuantizationState(channel_size=16), quantization_perchannel_hook),
}


def random_states():
    """Of the host, of Python, and of every device of the accelerator."""
    states = {"host": ow.get_rng_state(), "python": random.getstate()}
    if ow.accelerator.is_available():
        kind = ow.accelerator.current_accelerator().type
        states[kind] = getattr(ow, kind).get_rng_state_all()
    return states


def set_random_states(states):
    ow.set_rng_state(states.pop("host"))
    random.setstate(states.pop("python"))
    for kind, of_devices in states.items():
        getattr(ow, kind).set_rng_state_all(of_devices)


def save(file, step, model, optimizer, scaler, sampler, hook):
    """A call of every rank; rank 0 writes: the whole file, or the one before stays."""
    optimizer.consolidate_state_dict(to=0)
    everyones = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    own = {"random": random_states(), "hook": hook and hook.state_dict(model.module)}
    dist.gather_object(own, everyones)
    if dist.get_rank() == 0:
        state = {
            "step": step,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scaler": scaler.state_dict(),
            "sampler": sampler.state_dict(),
            "buckets": model.bucket_order(),
            "ranks": everyones,
        }
        ow.save(state, file)


def load(file, model, optimizer, scaler, sampler, hook):
    """The step to go on with; a call of every rank."""
    state = [None]
    if dist.get_rank() == 0 and file.exists():
        state = [ow.load(file)]  # which says what is wrong with a file that is damaged
    dist.broadcast_object_list(state, src=0)
    if state[0] is None:
        return 0
    model.load_state_dict(state[0]["model"])
    optimizer.load_state_dict(state[0]["optimizer"])
    scaler.load_state_dict(state[0]["scaler"])
    sampler.load_state_dict(state[0]["sampler"])
    model.set_bucket_order(state[0]["buckets"])
    if dist.get_rank() < len(state[0]["ranks"]):  # there may be more ranks than before
        own = state[0]["ranks"][dist.get_rank()]
        set_random_states(own["random"])
        if hook is not None:
            hook.load_state_dict(model.module, own["hook"])
    return state[0]["step"]


def batches(sampler):
    """What is left of the epoch that the sampler is in, and then of others."""
    for epoch in itertools.count(sampler.epoch):
        sampler.set_epoch(epoch)
        indices = iter(sampler)
        while batch := list(itertools.islice(indices, BATCH)):
            yield batch


def main(given):
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
    first = load(given.file, model, optimizer, scaler, sampler, hook)
    for step, batch in enumerate(itertools.islice(batches(sampler), given.steps - first), first):
        if step == given.die_at and rank == dist.get_world_size() - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(points[batch]), rings[batch])
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if (step + 1) % EVERY == 0 or step + 1 == given.steps:
            save(given.file, step + 1, model, optimizer, scaler, sampler, hook)
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
