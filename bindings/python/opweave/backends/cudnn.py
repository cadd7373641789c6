"""cuDNN, which no kernel uses.

`benchmark`, `deterministic` and `allow_tf32` are kept: algorithms are deterministic and none is measured
or rounds inputs, so that they hold or permit what is not made use of. `enabled` says whether cuDNN may
be used. `conv.fp32_precision` and `rnn.fp32_precision` say of one kind of layer what `allow_tf32` says of
both.
"""

from opweave import _C
from opweave.backends import _precision
from opweave.backends._settings import Setting, make_module
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import set_flags as _set_flags

_settings = {
    "allow_tf32": _precision.AllowTF32(
        [_precision.cuda_of["conv"], _precision.cuda_of["rnn"]], "none"
    ),
    "benchmark": Setting(False),
    "benchmark_limit": Setting(10, kind=int),
    "depthwise_kernel": Setting("auto", kind=str, known=("auto", "cudnn", "native")),
    "deterministic": Setting(False),
    "enabled": Setting(True),
    "fp32_precision": _precision.cuda,
}
conv = _precision.of_operator("opweave.backends.cudnn.conv", _precision.cuda_of["conv"])
rnn = _precision.of_operator("opweave.backends.cudnn.rnn", _precision.cuda_of["rnn"])
CUDNN_TENSOR_DTYPES = {_C.half, _C.float, _C.double}


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
    enabled=False,
    benchmark=False,
    benchmark_limit=10,
    deterministic=False,
    allow_tf32=True,
    fp32_precision="none",
    depthwise_kernel="auto",
):
    """The settings within `with`; None changes nothing."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
