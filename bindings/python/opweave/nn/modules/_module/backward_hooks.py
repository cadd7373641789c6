"""Backward hooks of modules: they see the gradients that come to a module and those that leave it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable
from typing import Any

from opweave import _C
from opweave._C import Tensor
from opweave.autograd.function import Function


class BackwardWatch:
    """Calls the full backward hooks of one call of a module, when its gradients pass by."""

    def __init__(self, module: Any, hooks: Iterable[Any], pre_hooks: Iterable[Any]) -> None:
        self._module = module
        self._hooks = tuple(hooks)
        self._pre_hooks = tuple(pre_hooks)
        self._grad_output = None  # once gradients of outputs have come by
        self._watches_inputs = False

    def inputs(self, args: Any) -> Any:
        """The arguments of the module; their gradients leave it."""
        self._count = len(args)
        if not self._hooks:
            return args
        marked, node, at = _pass_through(args)
        if node is None:
            return args
        self._watches_inputs = True

        def hook(grad_inputs, _):
            if self._grad_output is None:
                return None
            grad_inputs = self._run_hooks(_spread(grad_inputs, at, self._count))
            self._grad_output = None
            return tuple(grad_inputs[i] for i in at)

        node.register_hook(hook)
        return marked

    def outputs(self, output: Any) -> Any:
        """The result of the module; its gradients come to it."""
        outputs = output if isinstance(output, tuple) else (output,)
        marked, node, at = _pass_through(outputs)
        if node is None:
            return output

        def hook(grads):
            grads = self._run_pre_hooks(_spread(grads, at, len(outputs)))
            self._grad_output = grads
            if self._hooks and not self._watches_inputs:
                self._run_hooks_without_inputs()
            return tuple(grads[i] for i in at)

        node.register_prehook(hook)
        return marked if isinstance(output, tuple) else marked[0]

    def _run_pre_hooks(self, grads):
        for hook in self._pre_hooks:
            result = hook(self._module, grads)
            if result is not None:
                grads = _replaced(result, grads, "Backward pre hook", "grad_output")
        return grads

    def _run_hooks(self, grads):
        for hook in self._hooks:
            result = hook(self._module, grads, self._grad_output)
            if result is not None:
                grads = _replaced(result, grads, "Backward hook", "grad_input")
        return grads

    def _run_hooks_without_inputs(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients.",
            stacklevel=2,
        )
        if any(grad is not None for grad in self._run_hooks((None,) * self._count)):
            raise RuntimeError(
                "Backward hook for Modules where no input requires gradient should always return "
                "None or None for all gradients."
            )
        self._grad_output = None


def _spread(grads, at, count):
    """One for each of `count` values, of which those `at` some positions are tensors."""
    values = dict(zip(at, grads))
    return tuple(values.get(i) for i in range(count))


def _replaced(result, grads, what, name):
    if isinstance(result, Tensor):
        result = (result,)
    if len(result) != len(grads):
        raise RuntimeError(
            f"{what} returned an invalid number of {name}, got {len(result)}, but expected "
            f"{len(grads)}"
        )
    return result


def _pass_through(values):
    """(the values, the node that their gradients pass, which of them are tensors); no node if none
    requires grad."""
    at = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not _C.is_grad_enabled() or not any(values[i].requires_grad for i in at):
        return values, None, at
    marked, node = list(values), None
    for i, tensor in zip(at, _Boundary.apply(*(values[i] for i in at))):
        if tensor.requires_grad:
            marked[i], node = tensor, tensor.grad_fn
    return tuple(marked), node, at


class _Boundary(Function):
    """Passes tensors through. Hooks of its node see all their gradients at once."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        ctx.kinds = [(t.shape, t.dtype, t.device) for t in tensors]
        return tuple(t.view_as(t) if t.requires_grad else t for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return tuple(
            _C.zeros(shape, dtype=dtype, device=device) if grad is None else grad
            for grad, (shape, dtype, device) in zip(grads, ctx.kinds)
        )

    @staticmethod
    def jvp(ctx, *tangents):
        return tangents


# --- the old kind: hooks of the node of a result ------------------------------------------------------------
def watch_node(module: Any, hooks: Iterable[Any], args: Any, output: Any) -> None:
    """Has hooks called with the gradients of the node that made a module's result; nothing without one."""
    node = _first_tensor(output).grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.partial(hook, module))
    found = _what_is_missed(args, output, node)
    if found is not None:
        warnings.warn(found, FutureWarning, stacklevel=5)


def _first_tensor(value):
    """The first tensor of a result.

    Raises:
        TypeError: a text is in the place of one, whose elements are texts again.
    """
    while not isinstance(value, Tensor):
        if isinstance(value, dict):
            value = next(v for v in value.values() if isinstance(v, Tensor))
        elif isinstance(value, str):
            raise TypeError(
                "register_backward_hook: the result of a module has to be or to begin with a tensor, "
                f"got {value!r}"
            )
        else:
            value = value[0]
    return value


def _tensors(value):
    """A tensor, or a tuple of tensors, as a tuple; None for anything else."""
    if isinstance(value, Tensor):
        return (value,)
    plain = isinstance(value, tuple) and all(isinstance(v, Tensor) for v in value)
    return value if plain else None


_INSTEAD = "Please use register_full_backward_hook to get the documented behavior."


def _what_is_missed(args, output, node):
    """The words about a hook of one node that does not see all gradients of a module; None where it does."""
    inputs, outputs = _tensors(args), _tensors(output)
    if outputs is None:
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of "
            "Tensors is deprecated and will be removed in future versions. This hook will be missing some "
            f"of the grad_output. {_INSTEAD}"
        )
    if inputs is None:
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a "
            "tuple of Tensors is deprecated and will be removed in future versions. This hook will be "
            f"missing some of the grad_input. {_INSTEAD}"
        )
    if len({t.grad_fn for t in outputs if t.grad_fn is not None}) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes is "
            "deprecated and will be removed in future versions. This hook will be missing some "
            f"grad_output. {_INSTEAD}"
        )
    if {t.grad_fn for t in inputs if t.grad_fn is not None} != {n for n, _ in node.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is "
            "deprecated and will be removed in future versions. This hook will be missing some "
            f"grad_input. {_INSTEAD}"
        )
    return None
