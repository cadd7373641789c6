"""cuDNN, which no kernel uses.

`benchmark`, `deterministic` and `allow_tf32` are kept: algorithms are deterministic and none is measured
or rounds inputs, so that they hold or permit what is not made use of. `enabled` says whether cuDNN may
be used.
"""

from opweave.backends._settings import PRECISIONS, Setting, make_module
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import set_flags as _set_flags

_settings = {
    "allow_tf32": Setting(True),
    "benchmark": Setting(False),
    "benchmark_limit": Setting(10, kind=int),
    "depthwise_kernel": Setting("auto", kind=str),
    "deterministic": Setting(False),
    "enabled": Setting(True),
    "fp32_precision": Setting("none", known=PRECISIONS, kind=str),
}


def is_available():
    """Whether there is cuDNN: no."""
    return False


def version():
    """Its version: None."""
    return None


def is_acceptable(tensor):
    """Whether cuDNN can compute with a tensor: no."""
    return False


def set_flags(
    _enabled=None,
    _benchmark=None,
    _benchmark_limit=None,
    _deterministic=None,
    _allow_tf32=None,
    _fp32_precision="none",
    _depthwise_kernel=None,
):
    """Assigns the settings that are not None; what all were, in this order."""
    return _set_flags(__name__, {key[1:]: value for key, value in locals().items()})


def flags(
    enabled=None,
    benchmark=None,
    benchmark_limit=None,
    deterministic=None,
    allow_tf32=None,
    fp32_precision=None,
    depthwise_kernel=None,
):
    """The settings within `with`."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
