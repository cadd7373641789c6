"""Small functions of the top module."""

import functools
import warnings

from opweave import _C, _targets, accelerator


def typename(obj):
    """The name of an object's type, with its module; that of a tensor as in Tensor.type()."""
    if isinstance(obj, _C.TensorBase):
        return obj.type()
    cls = type(obj)
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", None) else f"{module}.{cls.__qualname__}"


_determinism = {"mode": "default", "fills": True}
_DEBUG_MODES = ("default", "warn", "error")


def _determine(**changes):
    """Takes changes of how results are kept the same in every run, and has them act."""
    _determinism.update(changes)
    _C._set_fills_uninitialized(_determinism["fills"] and _determinism["mode"] != "default")


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Whether all that a program computes is the same in every run.

    Operators are so on every target that is built in, in any case, and there is nothing to refuse. What
    is not computed comes to be so: empty() and its kin, and what resize_() adds, are NaN, the largest
    integer or True, unless utils.deterministic.fill_uninitialized_memory is False.

    Raises:
        TypeError: one that is no bool.
    """
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument {name} must be bool, not "
                f"{type(value).__name__}"
            )
    _determine(mode=("warn" if warn_only else "error") if mode else "default")


def are_deterministic_algorithms_enabled():
    """Whether use_deterministic_algorithms() was asked for."""
    return _determinism["mode"] != "default"


def is_deterministic_algorithms_warn_only_enabled():
    """Whether it was asked for with warn_only."""
    return _determinism["mode"] == "warn"


def set_deterministic_debug_mode(debug_mode):
    """use_deterministic_algorithms() by "default", "warn" or "error", or 0, 1, 2.

    Raises:
        TypeError: neither text nor a number.
        RuntimeError: another of these.
    """
    if not isinstance(debug_mode, (str, int)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str) and debug_mode not in _DEBUG_MODES:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    if isinstance(debug_mode, int) and not 0 <= debug_mode < len(_DEBUG_MODES):
        raise RuntimeError(
            f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    _determine(mode=debug_mode if isinstance(debug_mode, str) else _DEBUG_MODES[debug_mode])


def get_deterministic_debug_mode():
    """0, 1 or 2, for "default", "warn" and "error"."""
    return _DEBUG_MODES.index(_determinism["mode"])


def set_float32_matmul_precision(precision):
    """How coarsely products of float32 matrices may round, "highest", "high" or "medium": a permission, which
    is kept; products are computed in float32 whatever it is. `fp32_precision` of backends.cuda.matmul and
    backends.mkldnn.matmul say the same. Another word changes nothing, and warns.

    Raises:
        RuntimeError: no text.
    """
    from opweave.backends import _precision

    if not isinstance(precision, str):
        raise RuntimeError(
            f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}"
        )
    if not _precision.set_float32_matmul(precision):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )


def get_float32_matmul_precision():
    """What set_float32_matmul_precision() was told, or means what `fp32_precision` of the two was told."""
    from opweave.backends import _precision

    return _precision.float32_matmul()


def _type_of_tensors(t):
    """FloatTensor or cuda.FloatTensor, themselves or by name; None for anything else."""
    from opweave import _tensor_types

    if isinstance(t, _tensor_types.TensorType):
        return t
    if not isinstance(t, str):
        return None
    kind, name = ("opweave", *t.split("."))[-2:]
    place = _tensor_types if kind in ("opweave", "torch") else _targets.module_of(kind)
    return getattr(place, name, None)


_device_of_type = {"is": None}  # the default device that a type of tensors set


def set_default_tensor_type(t, /):
    """The default dtype and device by a type of tensors of floats, or its name: "torch.DoubleTensor",
    "torch.cuda.FloatTensor".

    Raises:
        TypeError: no type of tensors of floats, or one on devices of which there are none.
    """
    from opweave import _tensor_types

    found = _type_of_tensors(t)
    name = t if isinstance(t, str) else getattr(t, "__name__", repr(t))
    if not isinstance(found, _tensor_types.TensorType) or not found.dtype.is_floating_point:
        raise TypeError(
            f"only floating-point types are supported as the default type, expected one like FloatTensor, "
            f"got {name}"
        )
    device = None if _C._is_host(found.device) else found.device
    if device is not None and not _targets.module(device.type).is_available():
        raise TypeError(
            f"type {found.__module__}.{found.__name__} not available: there is no usable "
            f"{device.type} device"
        )
    # A type on the host takes back what another type set, and not what set_default_device() did.
    if device is not None or _C._chosen_device() == _device_of_type["is"]:
        _C._set_default_device(device)
    _device_of_type["is"] = device
    _C.set_default_dtype(found.dtype)


_warnings = {"always": False}


def set_warn_always(b):
    """Whether warnings come each time, and not once for a place, where no filter of the program's says more.

    Raises:
        RuntimeError: no bool.
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    always = ("always", None, UserWarning, None, 0)
    if b and always not in warnings.filters:
        warnings.simplefilter("always", UserWarning, append=True)
    elif not b and always in warnings.filters:
        warnings.filters.remove(always)
        warnings.simplefilter("default", UserWarning, append=True)  # as without any
    _warnings["always"] = b


def is_warn_always_enabled():
    """What set_warn_always() was told."""
    return _warnings["always"]


def _get_accelerator():
    """The device of an accelerator, or else the host's."""
    return accelerator.current_accelerator() or _C._default_device()


def get_device_module(device=None):
    """The module of a device's kind, as opweave.cuda is.

    Args:
        device: None for the current accelerator, or the host without one.

    Raises:
        RuntimeError: what is neither a device nor the name of one.
    """
    if device is None:
        device = _get_accelerator()
    if not isinstance(device, (str, _C.device)):
        raise RuntimeError(f"Invalid value of device '{device}', expect device, str, or None")
    return _targets.module(_C.device(device).type)


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
    """Where this thread makes tensors when no device is given; None is the host. `with device:` does the same
    for a block.

    Raises:
        TypeError: no device.
        RuntimeError: one of a target that is not there.
    """
    if device is None:
        _C._set_default_device(None)
        return
    if not isinstance(device, (_C.device, str, int)) or isinstance(device, bool):
        raise TypeError(
            f"set_default_device(): argument 'device' must be device, str or int, not {type(device).__name__}"
        )
    _C._set_default_device(_C.device(device))


def get_default_device():
    """Where tensors are made when no device is given, with the index of the current one."""
    device = _C._chosen_device()
    if device.index is not None or _C._is_host(device) or device.type == "meta":
        return device
    return _C.empty(0, device=device).device
