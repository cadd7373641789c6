"""The package `functorch` that PyTorch brings: the functions of opweave.func under their older place, and
modules as functions of their parameters."""

import copy
import sys
import warnings

from opweave import func
from opweave.nn import Module

__all__ = [
    *(
        "FunctionalModule",
        "FunctionalModuleWithBuffers",
        "combine_state_for_ensemble",
        "functionalize",
    ),
    *("grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional"),
    *("make_functional_with_buffers", "vjp", "vmap"),
]

__version__ = sys.modules["opweave"].__version__  # which installing has set
functionalize = func.functionalize
grad = func.grad
grad_and_value = func.grad_and_value
hessian = func.hessian
jacfwd = func.jacfwd
jacrev = func.jacrev
jvp = func.jvp
vjp = func.vjp
vmap = func.vmap


class FunctionalModuleWithBuffers(Module):
    """A copy of a module as a function of parameters, buffers and its arguments."""

    def __init__(self, stateless_model, param_names, buffer_names):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    def forward(self, params, buffers, *args, **kwargs):
        """Calls the module with this state."""
        state = dict(zip((*self.param_names, *self.buffer_names), (*params, *buffers)))
        return func.functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """The same of a module without buffers."""

    def forward(self, params, *args, **kwargs):
        """Calls the module with these parameters."""
        return super().forward(params, (), *args, **kwargs)


def _taken_apart(kind, model, disable_autograd_tracking):
    model = copy.deepcopy(model)
    params, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    if disable_autograd_tracking:
        for p in params.values():
            p.requires_grad_(False)
    function = kind(model, tuple(params), tuple(buffers))
    return function, tuple(params.values()), tuple(buffers.values())


def make_functional(model, disable_autograd_tracking=False):
    """(function, parameters) of a copy of a module: function(parameters, *args) is what model(*args) is.

    Args:
        disable_autograd_tracking: whether the parameters require no gradients.

    Raises:
        RuntimeError: the module has buffers.
    """
    _warn("make_functional", "torch.func.functional_call")
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use "
            "make_functional_with_buffers(model) instead."
        )
    return _taken_apart(FunctionalModule, model, disable_autograd_tracking)[:2]


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """(function, parameters, buffers) of a copy of a module; see make_functional()."""
    _warn("make_functional_with_buffers", "torch.func.functional_call")
    return _taken_apart(FunctionalModuleWithBuffers, model, disable_autograd_tracking)


def combine_state_for_ensemble(models):
    """(function, parameters, buffers) of modules of one class, those of all stacked, for vmap.

    Raises:
        RuntimeError: none, or modules that are not alike.
    """
    _warn("combine_state_for_ensemble", "torch.func.stack_module_state")
    try:
        params, buffers = func.stack_module_state(models)
    except RuntimeError as error:
        text = str(error).replace("stack_module_state", "combine_state_for_ensemble")
        raise RuntimeError(text) from None
    function = _taken_apart(FunctionalModuleWithBuffers, models[0], False)[0]
    return function, tuple(p.detach() for p in params.values()), tuple(buffers.values())


def _warn(name, instead):
    warnings.warn(
        f"`functorch.{name}` is deprecated as of PyTorch 2.0; use `{instead}` instead",
        FutureWarning,
        stacklevel=3,
    )
