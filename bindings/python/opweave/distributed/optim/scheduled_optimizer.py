"""ScheduledOptimizer: a step that goes on while the next forward pass has begun.

Y. Peng et al., A generic communication scheduler for distributed DNN training acceleration (SOSP 2019).
"""

import inspect
import weakref

import opweave.distributed as dist
from opweave import _C, futures
from opweave._grad_mode import enable_grad, no_grad
from opweave._gradients import give_back_gradients, keep_gradients, zero_at_once
from opweave.distributed._arguments import expect
from opweave.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from opweave.optim._step_hooks import HOOKS
from opweave.optim.optimizer import Optimizer

_NAME = "ScheduledOptimizer()"


class _Reductions:
    """The hook of a model: buckets go to a scheduler, and the backward pass does not wait for them."""

    def __init__(self, model, scheduler, by_next_use):
        self._model = weakref.ref(model)  # which keeps this
        self._scheduler, self._by_next_use = scheduler, by_next_use
        self._works = {}  # of parameters, by their identity
        self.is_closed = False

    def __call__(self, state, bucket):
        if self.is_closed:
            return allreduce_hook(None, bucket)
        model = self._model()
        if model._join_config.enable:
            raise RuntimeError(
                "ScheduledOptimizer: a rank without data has no forward pass that would wait for gradients: "
                "model.join() does not go together with it"
            )
        buffer = bucket.buffer()
        with no_grad():
            buffer.mul_(1 / model.process_group.size())
        # What comes last in the backward pass is used first in the next forward pass.
        place = bucket.index() if self._by_next_use else -bucket.index()
        work = self._scheduler.all_reduce(buffer, priority=place)
        self._works.update((id(p), work) for p in bucket.parameters())
        future = futures.Future()
        future.set_result(buffer)
        return future

    def wait(self, parameter):
        """For the gradient of one; nothing where it is not on its way."""
        work = self._works.pop(id(parameter), None)
        if work is not None:
            work.wait()


class _Users:
    """Whose forward pass is the first to use each parameter: its module's, unless that is never called."""

    def __init__(self, model):
        self._model = model
        self._called = set()
        self._users = None  # of parameters, by identity of modules

    def note(self, module):
        if self._users is None:
            self._called.add(id(module))

    def settle(self):
        """After the first forward pass: the parameters of what is not called are the surrounding module's."""
        if self._users is not None:
            return
        self._users = {}
        self._assign(self._model, self._model)

    def _assign(self, module, outer):
        user = module if id(module) in self._called else outer
        own = list(module._parameters.values())
        self._users.setdefault(id(user), []).extend(p for p in own if p is not None)
        for child in module.children():
            self._assign(child, user)

    def of(self, module):
        """The parameters that have to be there before it begins; all of the model before the first pass."""
        if self._users is None:
            return list(self._model.parameters()) if module is self._model else []
        return self._users.get(id(module), [])


class ScheduledOptimizer(Optimizer):
    """Lets the next forward pass begin while gradients are still reduced, and updates layer by layer.

    In the place of an optimiser, around it: `step()` returns at once. Gradients of the layers that the
    forward pass needs first are reduced first, by a `Scheduler`; a layer waits for its own gradients, is
    updated, and computes. Parameters are to the bit what `optimizer` alone would make of them.

    Args:
        optimizer: SGD, Adam, AdamW, or another that defines `_update` alone.
        model: a `DistributedDataParallel` with `gradient_as_bucket_view=True`, on the host, without a hook;
            it has been called for no forward pass yet. It gets a hook.
        scheduler: of the model's group, and of nobody else; one is made for None. A call of every rank then.
        by_next_use: whether first layers go first; otherwise gradients go in the order in which they come.

    Between `backward()` and the next forward pass, `grad` and parameters are not yet what they will be: call
    `synchronize()` before they are read or written, as for clipping gradients, for evaluation of other
    copies and for checkpoints. `zero_grad()`, also of the model and of `optimizer`, comes after the update
    that is due. A parameter belongs to the module that has it, or, where that is not called, to the one
    around it; what others do with it in their forward passes has to come later. Without effect under
    `no_sync()`, and not to be used within `join()`. What goes wrong with a reduction is raised by who waits
    for it.

    TypeError and ValueError for what cannot be.
    """

    def __init__(self, optimizer, model, scheduler=None, by_next_use=True):
        from opweave.nn.parallel import DistributedDataParallel as Parallel

        expect(optimizer, Optimizer, _NAME, "optimizer", "an Optimizer")
        expect(model, Parallel, _NAME, "model", "a DistributedDataParallel")
        expect(scheduler, dist.Scheduler | None, _NAME, "scheduler", "a Scheduler or None")
        if inspect.unwrap(type(optimizer).step) is not inspect.unwrap(Optimizer.step):
            raise TypeError(
                f"{_NAME}: optimizer: {type(optimizer).__name__} has a step of its own, whose "
                "parameters cannot be updated one after another"
            )
        if not model.gradient_as_bucket_view:
            raise ValueError(
                f"{_NAME}: model: expected gradient_as_bucket_view=True, so that gradients are where "
                "they are reduced"
            )
        if not _C._is_host(model.device):
            raise ValueError(f"{_NAME}: model: expected one on the host, got one on {model.device}")
        self.optimizer, self.model = optimizer, model
        self.defaults = optimizer.defaults
        for name in HOOKS:
            setattr(self, name, getattr(optimizer, name))
        self._patch_step_function()
        self._owns = scheduler is None
        self.scheduler = dist.Scheduler(model.process_group) if self._owns else scheduler
        self._reductions = _Reductions(model, self.scheduler, by_next_use)
        model.register_comm_hook(None, self._reductions)
        self._waiting = {}  # by identity: parameters to update, with what gradients and options
        self._zeroed = {}  # and whose gradients are to be None or zero then
        keep_gradients(model.parameters(), self)
        self._users = _Users(model.module)
        self._hooks = [
            module.register_forward_pre_hook(self._before, prepend=True)
            for module in model.module.modules()
        ]
        self._hooks.append(model.module.register_forward_hook(self._after))
        # What is saved is what all steps so far made of the parameters.
        for saved in {model, model.module}:
            self._hooks.append(saved.register_state_dict_pre_hook(lambda *_: self.synchronize()))

    # --- the optimiser's, of which this is another face

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    @property
    def state(self):
        return self.optimizer.state

    def add_param_group(self, param_group):
        self.optimizer.add_param_group(param_group)

    def state_dict(self):
        """The optimiser's, when all is updated."""
        self.synchronize()
        return self.optimizer.state_dict()

    def load_state_dict(self, state_dict):
        self.synchronize()
        self.optimizer.load_state_dict(state_dict)

    def __getstate__(self):
        raise RuntimeError("ScheduledOptimizer cannot be copied or pickled; its optimizer can")

    # --- a step

    def step(self, closure=None):
        """Says that an update is due, which the next forward pass makes; `closure` as of other optimisers."""
        self._update(list(self._waiting.values()))
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._zeroed.clear()
        for group in self.param_groups:
            # A program may change its learning rate before all is updated.
            options = {k: _kept(v) for k, v in group.items() if k != "params"}
            # And may set gradients to None, as `model.zero_grad()` does.
            self._waiting.update(
                (id(p), (p, p.grad, options)) for p in group["params"] if p.grad is not None
            )
        return loss

    def zero_gradient(self, parameter, set_to_none):
        """Sets a gradient back, for every `zero_grad()`: after the update that is due."""
        if id(parameter) in self._waiting:
            self._zeroed[id(parameter)] = set_to_none
        else:
            self._reductions.wait(parameter)
            zero_at_once(parameter, set_to_none)

    def wait_for_gradient(self, parameter):
        """For what looks at gradients after a backward pass: clipping and scaling."""
        self._reductions.wait(parameter)

    def synchronize(self):
        """Returns when all gradients are reduced and all parameters are updated."""
        for p in self.model.module.parameters():
            self._reductions.wait(p)
        self._update(list(self._waiting.values()))

    def close(self):
        """After `synchronize()` on all ranks. The optimiser may go on alone, and so may the model.

        It keeps its hook, which averages from then on as a model without one does.
        """
        self.synchronize()
        self._reductions.is_closed = True
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        give_back_gradients(self.model.parameters())
        if self._owns:
            self.scheduler.close()

    def _before(self, module, arguments):
        self._users.note(module)
        mine = [id(p) for p in self._users.of(module)]
        self._update([self._waiting[i] for i in mine if i in self._waiting])

    def _after(self, module, arguments, output):
        """What this pass has not used is there before gradients are."""
        self._users.settle()
        self.synchronize()

    def _update(self, due):
        """Of parameters, each with its gradient and its options."""
        by_options = {}
        for p, gradient, options in due:
            self._reductions.wait(p)
            by_options.setdefault(id(options), (options, []))[1].append((p, gradient))
        with no_grad():
            for options, pairs in by_options.values():
                self.optimizer._update(options, [p for p, _ in pairs], [g for _, g in pairs])
        for p, _, _ in due:
            del self._waiting[id(p)]
            if id(p) in self._zeroed:
                zero_at_once(p, self._zeroed.pop(id(p)))


def _kept(value):
    return value.clone() if isinstance(value, _C.Tensor) else value
