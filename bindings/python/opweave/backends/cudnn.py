"""cuDNN, which no kernel uses.

`benchmark`, `deterministic` and `allow_tf32` are kept: algorithms are deterministic and none is measured
or rounds inputs, so that they hold or permit what is not made use of. `enabled` says whether cuDNN may
be used.
"""

from opweave.backends._settings import PRECISIONS, Setting, make_module
from opweave.backends._settings import flags as _flags

_settings = {
    "allow_tf32": Setting(True),
    "benchmark": Setting(False),
    "benchmark_limit": Setting(10, kind=int),
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


def flags(enabled=None, benchmark=None, benchmark_limit=None, deterministic=None, allow_tf32=None):
    """The settings within `with`."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
