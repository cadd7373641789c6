"""Small functions of the top module."""

import functools
import warnings

from opweave import _C


def typename(obj):
    """The name of an object's type, with its module; that of a tensor as in Tensor.type()."""
    if isinstance(obj, _C.TensorBase):
        return obj.type()
    cls = type(obj)
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", None) else f"{module}.{cls.__qualname__}"


def is_storage(obj):
    """Whether an object is the storage of a tensor."""
    from opweave.storage import TypedStorage

    return isinstance(obj, (_C.UntypedStorage, TypedStorage))


def _tensor(function, value):
    """The argument of a function that nothing else checks."""
    if not isinstance(value, _C.TensorBase):
        kind = type(value).__name__
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {kind}")
    return value


def is_floating_point(input):
    """Whether the dtype of a tensor is a floating-point one."""
    return _tensor("is_floating_point", input).is_floating_point()


def is_complex(input):
    """Whether the dtype of a tensor is complex: never."""
    return _tensor("is_complex", input).is_complex()


def is_signed(input):
    """Whether the dtype of a tensor has negative values."""
    return _tensor("is_signed", input).is_signed()


def is_nonzero(input):
    """Whether the one element of a tensor is not zero."""
    return bool(_tensor("is_nonzero", input))


def numel(input):
    """The number of elements of a tensor."""
    return _tensor("numel", input).numel()


def set_num_interop_threads(n):
    """For PyTorch's programs: there is one pool of threads."""
    if n < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def get_num_interop_threads():
    """For PyTorch's programs: there is one pool of threads."""
    return _C.get_num_threads()


def use_deterministic_algorithms(mode, *, warn_only=False):
    """For PyTorch's programs: every algorithm is deterministic."""


def are_deterministic_algorithms_enabled():
    """Whether results are the same in every run: always."""
    return True


@functools.cache  # a process is told once
def _warn_not_compiled():
    warnings.warn(
        "opweave.compile() gives the function back unchanged: nothing is compiled yet.",
        stacklevel=3,
    )


def compile(model=None, **options):
    """For PyTorch's programs: gives the function back as it is, and says so once."""
    _warn_not_compiled()
    return (lambda m: m) if model is None else model


def set_default_device(device):
    """Only the device that is the default already can be it: the CPU."""
    only = get_default_device()
    if _C.device(device).type != only.type:
        raise NotImplementedError(f"only {only} can be the default device")


def get_default_device():
    """Where tensors are made when no device is given."""
    return _C._default_device()
