"""Parameter: a tensor that a module registers as its own."""

import opweave
from opweave._C import Tensor


class Parameter(Tensor):
    """A tensor that is a parameter of the module to which it is assigned.

    Args:
        data: the values; shared, not copied. None gives an empty tensor.
        requires_grad: whether backward() accumulates a gradient in it.
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = opweave.empty(0)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol):
        return _rebuild_parameter, (self.data, self.requires_grad)


def _rebuild_parameter(data, requires_grad):
    return Parameter(data, requires_grad)


class Buffer(Tensor):
    """A tensor that a module registers as a buffer when it is assigned.

    Args:
        data: the values; shared, not copied.
        persistent: whether it is part of the module's state_dict.
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = opweave.empty(0)
        result = Tensor._make_subclass(cls, data, data.requires_grad)
        result.persistent = persistent
        return result
