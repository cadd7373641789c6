"""Methods of tensors as functions of the top module, and what it says of tensors and of the build."""

import functools
import warnings

from opweave import _C, backends
from opweave._overridable import overridable

# In PyTorch these functions are there by their methods' names.
METHODS = (
    *("as_strided_", "conj_physical_", "detach_", "fill_", "gcd_", "get_device", "is_complex"),
    *("is_distributed", "is_floating_point", "is_inference", "is_nonzero", "is_signed", "lcm_"),
    *("ldexp_", "numel", "zero_"),
)


@functools.cache
def of_method(name):
    """The function of a tensor and of the arguments of one of its methods."""

    def called(input, *args, **kwargs):
        if not isinstance(input, _C.Tensor):
            kind = type(input).__name__
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")
        return getattr(input, name)(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    called.__module__ = "opweave"
    called.__doc__ = getattr(_C.Tensor, name).__doc__
    return overridable(called)


def is_vulkan_available():
    """Whether there are devices of Vulkan: no."""
    return False


def _is_available(backend):
    return getattr(backends, backend).is_available()


def of_the_build(name):
    """has_lapack and its kin: what this build computes with; None for other names."""
    plain = {"has_lapack": True, "has_spectral": False}
    if name in plain:
        return plain[name]
    if name in ("has_mkl", "has_openmp"):
        return _is_available(name.removeprefix("has_"))
    return _of_the_build_once(name)


def _of_the_build_once(name):
    """Those that PyTorch tells to ask elsewhere."""
    asked = {"has_cuda": "is_built", "has_mps": "is_built"}
    asked |= {"has_mkldnn": "is_available", "has_cudnn": "is_available"}
    if name not in asked:
        return None
    backend = name.removeprefix("has_")
    instead = f"opweave.backends.{backend}.{asked[name]}()"
    warnings.warn(f"'{name}' is deprecated, please use '{instead}'", stacklevel=4)
    return getattr(getattr(backends, backend), asked[name])()
