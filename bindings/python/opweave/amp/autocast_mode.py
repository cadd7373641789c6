"""autocast: regions in which operators compute in the dtype that suits them.

What each operator computes in, its entry in ops.yaml says.
"""

import functools
import sys
import warnings
from collections import abc

from opweave import _C, _targets
from opweave.amp import _settings
from opweave.amp._settings import is_autocast_available

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

_LOWER = (_C.bfloat16, _C.half)


def autocast_decorator(autocast_instance, func):
    """`func`, called inside of the region."""

    @functools.wraps(func)
    def decorated(*args, **kwargs):
        with autocast_instance:
            return func(*args, **kwargs)

    return decorated


class autocast:  # noqa: N801 - PyTorch's name
    """A region of mixed precision: `with autocast("cpu"):`, or a decorator `@autocast("cpu")`.

    Matrix products and convolutions compute in `dtype`, losses and what needs range in single precision,
    others in what they are given; double precision is left alone. Regions nest, also as
    `autocast(…, enabled=False)`. A region is its thread's, and that of threads which work for it.

    Args:
        device_type: the kind of device: "cpu", "cuda", or another target's name.
        dtype: of 16 bits; get_autocast_dtype(device_type) if it is not given.
        enabled: whether anything is cast in the region.
        cache_enabled: whether a weight is cast once in the outermost region, not by every operator.

    Raises:
        ValueError: `device_type` is no text.
        TypeError: when it is entered: `dtype` is none, `enabled` or `cache_enabled` no bool.
        RuntimeError: there is no autocast for it.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.device = device_type
        self.fast_dtype = _settings.get_autocast_dtype(device_type) if dtype is None else dtype
        cached = _C.is_autocast_cache_enabled()
        self._cache_enabled = cached if cache_enabled is None else cache_enabled
        self._enabled = enabled if not enabled or self._is_possible() else False
        self._before = []  # an instance may be entered in itself

    def _is_possible(self):
        """Whether operators can be cast so; a warning says why not."""
        if self.device == "cuda" and not _targets.module("cuda").is_available():
            warnings.warn("CUDA is not available. Disabling autocast.", stacklevel=3)
            return False
        if self.fast_dtype in _LOWER:
            return True
        warnings.warn(
            f"In {self.device.upper()} autocast, but the target dtype {self.fast_dtype} is not supported. "
            f"Disabling autocast.\n{self.device.upper()} Autocast only supports dtypes of "
            f"{', '.join(map(str, _LOWER))} currently.",
            stacklevel=3,
        )
        return False

    def _check(self):
        """TypeError before anything is set."""
        if not isinstance(self.fast_dtype, _C.dtype):
            raise TypeError(
                f"autocast(): dtype: expected a dtype, got {type(self.fast_dtype).__name__}"
            )
        for name, value in (("enabled", self._enabled), ("cache_enabled", self._cache_enabled)):
            if type(value).__name__ not in ("bool", "bool_"):  # Python's and NumPy's
                raise TypeError(
                    f"autocast(): {name}: expected a bool, got {value!r} ({type(value).__name__})"
                )

    def __enter__(self):
        self._check()
        before = (
            _settings.is_autocast_enabled(self.device),
            _settings.get_autocast_dtype(self.device),
            _C.is_autocast_cache_enabled(),
        )
        self._before.append(before)
        _settings.set_autocast_enabled(self.device, self._enabled)
        _settings.set_autocast_dtype(self.device, self.fast_dtype)
        _C.autocast_increment_nesting()
        _C.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        enabled, dtype, cached = self._before.pop()
        if _C.autocast_decrement_nesting() == 0:
            _C.clear_autocast_cache()
        _settings.set_autocast_enabled(self.device, enabled)
        _settings.set_autocast_dtype(self.device, dtype)
        _C.set_autocast_cache_enabled(cached)
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with opweave.autocast(device_type=...):\n"
                "        output = model(input)"
            )
        return autocast_decorator(self, func)


# --- for operators of one's own ------------------------------------------------------------------------
def _cast(value, device_type, dtype):
    """Tensors on the device, in containers too, in `dtype`; doubles and what is not floating stay."""
    if isinstance(value, _C.Tensor):
        suits = value.is_floating_point() and value.device.type == device_type
        return value.to(dtype) if suits and value.dtype != _C.double else value
    if isinstance(value, (str, bytes)) or _is_array(value):
        return value
    if isinstance(value, abc.Mapping):
        return {
            _cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()
        }
    if isinstance(value, abc.Iterable):
        parts = (_cast(v, device_type, dtype) for v in value)
        return type(value)(parts) if isinstance(value, (list, tuple)) else parts
    return value


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _check_kind(device_type):
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Decorates `forward` of an autograd.Function, which custom_bwd's `backward` follows.

    Args:
        fwd: the function; a decorator is returned if it is not given.
        device_type: the kind of device whose region counts.
        cast_inputs: a dtype: inside of a region floating inputs are cast to it, and `forward` runs as
            outside. None: `forward` runs in the region.

    Raises:
        ValueError: `device_type` is no text.
    """
    _check_kind(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args, **kwargs):
        ctx = args[0]
        enabled = _settings.is_autocast_enabled(device_type)
        ctx._dtype = _settings.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(
                *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs)
            )

    return decorated


def custom_bwd(bwd=None, *, device_type):
    """Decorates `backward` of an autograd.Function: it runs in the region that `forward` ran in.

    Raises:
        ValueError: `device_type` is no text.
    """
    _check_kind(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args, **kwargs):
        ctx = args[0]
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorated
