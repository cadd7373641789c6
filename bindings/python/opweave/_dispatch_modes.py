"""What a mode with `__torch_dispatch__` is given; bindings/python/core/overrides/dispatch_modes.cc calls it.

Operators that PyTorch makes of others, and for which Opweave has a kernel, are shown as PyTorch shows them:
what programs choose by name, `aten.mm` and `aten.addmm` above all, is what they see.
"""

import math

from opweave import _C
from opweave._ops import aten, overload_of

# What operators do under modes of a class in the place of their method, by the name of the operator and the
# class: library.register_torch_dispatch.
rules = {}


def answer(mode, operator, args, kwargs):
    """What a mode says that a call gives.

    Args:
        mode: the innermost, which does not see what is called here.
        operator: of the registry.
        args: without defaults at the end.
        kwargs: without defaults.

    Raises:
        TypeError: the mode answers NotImplemented.
    """
    parts = _PARTS.get(operator.name)
    if parts is not None:
        with _seen_by(mode):
            return parts(*args, **kwargs)
    function = overload_of(operator)
    if rule := rules.get((function.name(), type(mode))):
        result = rule(mode, function, (), args, kwargs)
    else:
        result = mode.__torch_dispatch__(function, (), args, kwargs)
    if result is NotImplemented:
        raise TypeError(
            f"Multiple dispatch failed for 'torch.ops.{function}'; all __torch_dispatch__ handlers "
            f"returned NotImplemented:\n\n  - mode object {mode!r}"
        )
    return result


class unseen:  # noqa: N801
    """Within `with`, no mode of the thread sees what is called; gives the modes, the innermost last."""

    def __enter__(self):
        self._modes = [_C._pop_dispatch_mode() for _ in _C._dispatch_modes()][::-1]
        return self._modes

    def __exit__(self, *exception):
        for mode in self._modes:
            _C._push_dispatch_mode(mode)


class _seen_by:  # noqa: N801
    def __init__(self, mode):
        self._mode = mode

    def __enter__(self):
        _C._push_dispatch_mode(self._mode)

    def __exit__(self, *exception):
        _C._pop_dispatch_mode()


def _linear(input, weight, bias=None):
    """A product of matrices: of the rows of a whole batch with the bias, where they lie in memory one
    behind the other."""
    flat = input.dim() == 2 or input.is_contiguous()
    if bias is None or weight.dim() != 2 or not flat or (input.dim() != 2 and bias.dim() != 1):
        product = aten.matmul.default(input, aten.t.default(weight))
        return product if bias is None else aten.add_.Tensor(product, bias)
    rows = input
    if input.dim() != 2:
        rows = aten.view.default(input, [math.prod(input.shape[:-1]), input.size(-1)])
    product = aten.addmm.default(bias, rows, aten.t.default(weight))
    if input.dim() == 2:
        return product
    return aten._unsafe_view.default(product, [*input.shape[:-1], weight.size(0)])


# By the name of the operator: what PyTorch calls in its place.
_PARTS = {"linear": _linear}
