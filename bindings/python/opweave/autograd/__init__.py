"""Automatic differentiation, after torch.autograd."""

import functools
import warnings

from opweave import _C
from opweave._grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from opweave.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from opweave.autograd.function import Function

Variable = _C.Tensor


def _as_tuple(tensors):
    return (tensors,) if isinstance(tensors, _C.TensorBase) else tuple(tensors)


def _seeds(grads, count):
    if grads is None:
        return (None,) * count
    grads = _as_tuple(grads)
    if len(grads) != count:
        raise RuntimeError(f"got {count} tensors and {len(grads)} gradients")
    return grads


@functools.cache  # once in a process, as PyTorch
def _warn_of_cycle():
    warnings.warn(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using autograd.grad "
        "when creating the graph to avoid this. If you have to use this function, make sure to "
        "reset the .grad fields of your parameters to None after use to break the cycle and avoid "
        "the leak.",
        stacklevel=4,
    )


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Accumulates the gradients of tensors in the leaves of their graph.

    Args:
        tensors: what to differentiate.
        grad_tensors: the gradient of some loss with respect to each; None for scalars.
        retain_graph: keep what the graph saved. Defaults to create_graph.
        create_graph: record the backward pass, for higher derivatives.
        grad_variables: an old name of grad_tensors.
        inputs: the leaves to accumulate in; all others stay untouched.
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, _C.TensorBase) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        _warn_of_cycle()
    tensors = _as_tuple(tensors)
    _C._backward(
        tensors,
        _seeds(grad_tensors, len(tensors)),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        () if inputs is None else _as_tuple(inputs),
    )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of outputs with respect to inputs; nothing is accumulated.

    Args:
        outputs: what to differentiate.
        inputs: with respect to what.
        grad_outputs: the gradient of some loss with respect to each output; None for scalars.
        retain_graph: keep what the graph saved. Defaults to create_graph.
        create_graph: record the backward pass, for higher derivatives.
        only_inputs: has to be True.
        allow_unused: give None for inputs that the outputs do not depend on, not an error.
        is_grads_batched: has to be False.
        materialize_grads: give zeros instead of that None.
    """
    if not only_inputs or is_grads_batched:
        raise NotImplementedError("only_inputs=False and is_grads_batched=True do not exist")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    outputs, inputs = _as_tuple(outputs), _as_tuple(inputs)
    if not inputs:
        raise RuntimeError("grad requires non-empty inputs.")
    return _C._gradients(
        outputs,
        inputs,
        _seeds(grad_outputs, len(outputs)),
        create_graph if retain_graph is None else retain_graph,
        create_graph,
        bool(allow_unused) or materialize_grads,
        materialize_grads,
    )


def __getattr__(name):
    import importlib

    if name in ("functional", "graph", "forward_ad"):
        return importlib.import_module(f"opweave.autograd.{name}")
    if name in ("gradcheck", "gradgradcheck", "GradcheckError"):
        module = importlib.import_module("opweave.autograd.gradcheck")
        # The import bound the submodule to its own name; the function of that name is what is meant.
        globals()["gradcheck"] = module.gradcheck
        return getattr(module, name)
    raise AttributeError(f"module 'opweave.autograd' has no attribute '{name}'")
