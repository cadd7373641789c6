"""Private functions of PyTorch's that libraries call (names_elsewhere.txt): questions about what traces or
compiles programs, whose answer is that nothing does, and helpers."""

import functools

from opweave import _C
from opweave._grad_mode import enable_grad


def log_api_usage_once(event, *details):
    """Notes that a library is used, for those who collect such notes: nobody does."""


def is_fake(x):
    """Whether a tensor has no data because a program is traced: none is."""
    return False


def nothing(*args):
    """The mode, or the state, of what traces a program: there is none."""
    return None


def are_functorch_transforms_active():
    """Whether this is within vmap."""
    return _C._vmap_depth() > 0


def kineto_available():
    """Whether operators and blocks can be recorded: they always can."""
    return True


def is_batchedtensor(tensor):
    """Whether a tensor stands for a batch of examples, within vmap."""
    return _C._batch_value(tensor)[0] > 0


def parse_to(*args, **kwargs):
    """(device, dtype, non_blocking, memory_format) of the arguments of `Module.to()`.

    Raises:
        TypeError: something else.
    """
    if args and isinstance(args[0], _C.Tensor):
        args = (args[0].device, args[0].dtype, *args[1:])
    elif args and isinstance(args[0], _C.dtype):
        args = (None, *args)
    return _of_to(*args, **kwargs)


def _of_to(device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None):
    if dtype is not None and not isinstance(dtype, _C.dtype):
        raise TypeError(f"to(): dtype: expected a dtype, got {type(dtype).__name__}")
    device = None if device is None else _C.device(device)
    return device, dtype, bool(non_blocking), memory_format


DEVICE_LIKE = str | _C.device | int
EULER = 0.5772156649015329


def not_none(obj):
    """What is given.

    Raises:
        TypeError: None.
    """
    if obj is None:
        raise TypeError("not_none(): expected a value, got None")
    return obj


class lazy_property:  # noqa: N801 - PyTorch's name
    """A property that is computed once, with gradients, and then is an attribute."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance, owner=None):
        if instance is None:
            return property(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def require_rpc(function):
    """Decorates what calls other processes (torch.distributed.rpc): it raises when it is called."""

    @functools.wraps(function)
    def refuse(*args, **kwargs):
        raise RuntimeError(
            "RPC has not been initialized. Call torch.distributed.rpc.init_rpc first: PyTorch has it, "
            "Opweave lacks it"
        )

    return refuse


# --- what has to hold: an error of a type of its own if it does not ----------------------------------------
_EXPECTED = "Expected cond to be True, but got False. (Could this error message be improved?)"


def check_with(error_type, cond, message=None):
    """Raises an error of a type unless `cond` is True.

    Args:
        message: a text, or a function that gives it.

    Raises:
        TypeError: `cond` is no bool.
    """
    if isinstance(cond, _C.Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to "
            "assert that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if not cond:
        given = message() if callable(message) else message
        raise error_type(_EXPECTED if given is None else str(given))


def check(cond, message=None):
    """RuntimeError unless `cond`."""
    check_with(RuntimeError, cond, message)


def check_index(cond, message=None):
    """IndexError unless `cond`."""
    check_with(IndexError, cond, message)


def check_value(cond, message=None):
    """ValueError unless `cond`."""
    check_with(ValueError, cond, message)


def check_type(cond, message=None):
    """TypeError unless `cond`."""
    check_with(TypeError, cond, message)


def check_not_implemented(cond, message=None):
    """NotImplementedError unless `cond`."""
    check_with(NotImplementedError, cond, message)


def check_is_size(i, message=None, *, max=None):
    """RuntimeError unless a number is a size: not negative, and not above `max`."""
    check_with(RuntimeError, i >= 0 and (max is None or i <= max), message)


def check_tensor_all(cond, message=None):
    """RuntimeError unless all elements of a tensor of bools are True.

    Raises:
        TypeError: `cond` is none.
    """
    if not isinstance(cond, _C.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != _C.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    check_with(RuntimeError, cond.all().item(), message)


def assert_(condition, message):
    """AssertionError unless `condition`."""
    if not condition:
        raise AssertionError(message)


def assert_async(input, assert_msg="Expected Tensor with single nonzero value, but got zero"):
    """RuntimeError if the one element of a tensor is zero; at once, on every device."""
    check_with(RuntimeError, bool(input), assert_msg)
