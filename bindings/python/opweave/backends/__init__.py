"""Settings of what computes, under PyTorch's names.

A setting that permits something (`cudnn.benchmark`, `allow_tf32`, a lower precision of products) is kept
and read back; a permission that nothing here makes use of changes no number. One that asks for what is
not there raises. `fp32_precision`, here and below, is the tree of opweave.backends._precision.
"""

from opweave.backends import _precision as _precision_tree

from opweave.backends import (
    cpu,
    cuda,
    cudnn,
    cusparselt,
    kleidiai,
    mha,
    miopen,
    mkl,
    mkldnn,
    mps,
    nnpack,
    openmp,
    opt_einsum,
    quantized,
    xnnpack,
)
from opweave.backends._settings import disable_global_flags, flags_frozen
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import make_module as _make_module
from opweave.backends._settings import set_flags as _set_flags

__all__ = [
    *(
        "cpu",
        "cuda",
        "cudnn",
        "cusparselt",
        "kleidiai",
        "mha",
        "miopen",
        "mkl",
        "mkldnn",
        "mps",
        "nnpack",
    ),
    *("openmp", "opt_einsum", "quantized", "xnnpack"),
    *("disable_global_flags", "flags", "flags_frozen", "set_flags"),
]

_settings = {"fp32_precision": _precision_tree.generic}


def set_flags(_fp32_precision="none"):
    """Assigns the setting unless it is None; what it was, as a tuple."""
    return _set_flags(__name__, {"fp32_precision": _fp32_precision})


def flags(fp32_precision="none"):
    """The setting within `with`."""
    return _flags(__name__, {"fp32_precision": fp32_precision})


_make_module(__name__)
