"""MODEL.py: what a plan is made of."""

import contextlib
import runpy
import sys

import opweave.distributed as dist
from opweave._C import Tensor
from opweave.distributed.plan.profile import profile
from opweave.nn import Module
from opweave.nn.parallel import DistributedDataParallel
from opweave.optim import Optimizer


class ProgramError(Exception):
    """A program that is not there, or has not what is wanted of it."""


def functions(program):
    """Its names, among them model() and loss(model)."""
    if not program.exists():
        raise ProgramError(f"there is no program {program}")
    sys.path.insert(0, str(program.parent.resolve()))
    names = runpy.run_path(str(program), run_name="model")
    lacking = [name for name in ("model", "loss") if not callable(names.get(name))]
    if lacking:
        wanted = " and ".join(f"a function {name}" for name in lacking)
        raise ProgramError(f"{program}: expected model() and loss(model); there is not {wanted}")
    return names


def profile_of(program, steps, before=None, place=None):
    """The Profile of its step, in a DistributedDataParallel of a group of one: what that does is part of it.

    `before` is called when all is made. `place`, the arguments of a group's `init_process_group`, is that of
    processes that take the step at once, and wait for one another in each.
    """
    names = functions(program)
    with _group_of_one(place) as (group, meet):
        made = _expected(program, "model()", names["model"](), Module, "a Module")
        model = DistributedDataParallel(made, process_group=group)
        update = None
        if callable(names.get("optimizer")):
            optimizer = names["optimizer"](model.parameters())
            update = _expected(program, "optimizer()", optimizer, Optimizer, "an Optimizer").step
        if before is not None:
            before()

        def loss(model):
            return _expected(program, "loss()", names["loss"](model), Tensor, "a Tensor")

        return profile(model, loss, update, steps, meet)


def _expected(program, call, value, kind, what):
    if not isinstance(value, kind):
        raise ProgramError(f"{program}: {call}: expected {what}, got {type(value).__name__}")
    return value


@contextlib.contextmanager
def _group_of_one(place):
    """It, and what waits for the other processes; the program's group if it has one."""
    if dist.is_initialized():
        yield None, None
        return
    alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    dist.init_process_group("shm", **(place or alone))
    try:
        groups = [dist.new_group([rank]) for rank in range(dist.get_world_size())]
        yield groups[dist.get_rank()], dist.barrier if place else None
    finally:
        dist.destroy_process_group()
