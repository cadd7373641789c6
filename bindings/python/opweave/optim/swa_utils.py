"""Averages of weights over a run, after torch.optim.swa_utils."""

import itertools
import math
from copy import deepcopy

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn import Module
from opweave.nn.modules.batchnorm import _BatchNorm
from opweave.optim._averaging import (
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_avg_fn,
    get_swa_multi_avg_fn,
)
from opweave.optim.lr_scheduler import (
    LRScheduler,
    _format_param,
    _warn_get_lr_called_within_step,
)
from opweave.optim.lr_scheduler import _arguments as arguments

PARAM_LIST = tuple[_C.Tensor, ...] | list[_C.Tensor]

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those that `update_parameters(model)` was given:
    Izmailov et al., "Averaging Weights Leads to Wider Optima and Better Generalization" (UAI 2018).

    Args:
        model: what is copied, and called like it.
        device: where the averages are kept; where the model is, if not given.
        avg_fn: average, parameter, number averaged so far -> average.
        multi_avg_fn: the same with lists of tensors of one device and dtype, of which it writes the first.
            With neither, the mean of all.
        use_buffers: whether buffers are averaged as well; otherwise they are the last model's.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError(
                "AveragedModel: Only one of avg_fn and multi_avg_fn should be provided, got both"
            )
        for name, function in (("avg_fn", avg_fn), ("multi_avg_fn", multi_avg_fn)):
            if function is not None:
                arguments.callable_of("AveragedModel", name, function)
        if not hasattr(model, "parameters"):
            raise AttributeError(
                f"AveragedModel: model: expected a Module, got {arguments.shown(model)}"
            )
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        counter = _C.tensor(0, dtype=_C.int64, device=device)
        self.register_buffer("n_averaged", counter)
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Takes the parameters of `model` into the averages; the first time they are the averages."""
        pairs = self._pairs(model)
        if self.n_averaged == 0:
            for average, current in pairs:
                average.copy_(current)
        elif self.avg_fn is not None and self.multi_avg_fn is None:
            self._update_each(pairs, self.avg_fn)
        else:
            self._update_together(pairs)
        if not self.use_buffers:
            self._copy_buffers(model)
        self.n_averaged += 1

    def _pairs(self, model):
        """(average, current) of all that is averaged."""
        mine, theirs = self.module.parameters(), model.parameters()
        if self.use_buffers:
            mine = itertools.chain(mine, self.module.buffers())
            theirs = itertools.chain(theirs, model.buffers())
        return [
            (average.detach(), current.detach().to(average.device))
            for average, current in zip(mine, theirs, strict=False)
        ]

    def _update_each(self, pairs, function):
        for average, current in pairs:
            average.copy_(function(average, current, self.n_averaged.to(average.device)))

    def _update_together(self, pairs):
        groups = {}
        for average, current in pairs:
            groups.setdefault((average.device, average.dtype), []).append((average, current))
        for (device, _), members in groups.items():
            function = self.multi_avg_fn
            if not function and _C._is_host(device):
                self._update_each(members, get_swa_avg_fn())
                continue
            averages, currents = (list(side) for side in zip(*members, strict=True))
            (function or get_swa_multi_avg_fn())(averages, currents, self.n_averaged.to(device))

    def _copy_buffers(self, model):
        mine, theirs = list(self.module.buffers()), list(model.buffers())
        if len(mine) != len(theirs):
            raise ValueError(
                f"AveragedModel: model: expected one with {len(mine)} buffers, as that which was copied, got "
                f"{len(theirs)}"
            )
        for average, current in zip(mine, theirs, strict=True):
            average.detach().copy_(current.detach().to(average.device))


@no_grad()
def update_bn(loader, model, device=None):
    """Computes the running statistics of batch normalisation anew, in one pass over the data. Averages of
    weights need that: no forward pass in training has seen them.

    Args:
        loader: batches; of lists and tuples the first entry is the input.
        model: whose batch normalisation it is; in training mode during the pass.
        device: where inputs are taken to.
    """
    if not isinstance(model, Module):
        raise AttributeError(f"update_bn: model: expected a Module, got {arguments.shown(model)}")
    layers = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not layers:
        return
    try:
        batches = iter(loader)
    except TypeError:
        raise TypeError(
            f"update_bn: loader: expected an iterable of batches, got {arguments.shown(loader)}"
        ) from None
    was_training = model.training
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None  # a plain mean over the batches
    model.train()
    try:
        for batch in batches:
            _forward(model, batch, device)
    finally:
        for layer, momentum in layers.items():
            layer.momentum = momentum
        model.train(was_training)


def _forward(model, batch, device):
    if isinstance(batch, (list, tuple)):
        if not batch:
            raise IndexError(
                "update_bn: loader: expected batches with an input first, got an empty one"
            )
        batch = batch[0]
    model(batch if device is None else batch.to(device))


class SWALR(LRScheduler):
    """To a learning rate that stays: from what it is to `swa_lr` in `anneal_epochs`, then `swa_lr`.

    Args:
        optimizer: whose learning rates are set.
        swa_lr: the learning rate at the end, or a list of one for each group.
        anneal_strategy: "cos" or "linear".
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        arguments.optimizer_of(self, optimizer, AttributeError)
        rates = _format_param("swa_lr", optimizer, swa_lr, self)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                "SWALR: anneal_strategy: expected 'cos' or 'linear', got "
                f"{arguments.shown(anneal_strategy)}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                "SWALR: anneal_epochs: expected an integer of at least 0, got "
                f"{arguments.shown(anneal_epochs)}"
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t):
        return t

    @staticmethod
    def _cosine_anneal(t):
        return (1 - math.cos(math.pi * t)) / 2

    @staticmethod
    def _get_initial_lr(lr, swa_lr, alpha):
        """What it began at, if it is `lr` after `alpha` of the way."""
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def _way(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        """From the last rate, so that the changes of others stay in it."""
        _warn_get_lr_called_within_step(self)
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._way(step - 1), self._way(step)
        rates = []
        for group in self.optimizer.param_groups:
            (end,) = arguments.options(self, group, "swa_lr")
            begin = self._get_initial_lr(group["lr"], end, before)
            rates.append(end * now + begin * (1 - now))
        return rates

    def _set_anneal_func(self, anneal_strategy):
        self._anneal_strategy = anneal_strategy
        cosine = anneal_strategy == "cos"
        self.anneal_func = self._cosine_anneal if cosine else self._linear_anneal

    def state_dict(self):
        """All that the scheduler has, without its optimizer."""
        return self._state_without("anneal_func")

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` returned."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)


# Pickled models, and texts, name the module in which programs find these.
for _name in __all__:
    globals()[_name].__module__ = __name__
