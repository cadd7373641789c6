"""Settings of what computes, under PyTorch's names.

A setting that permits something (`cudnn.benchmark`, `allow_tf32`, a lower precision of products) is kept
and read back; a permission that nothing here makes use of changes no number. One that asks for what is
not there raises.
"""

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
from opweave.backends._settings import PRECISIONS as _PRECISIONS
from opweave.backends._settings import Setting as _Setting
from opweave.backends._settings import make_module as _make_module

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
]

_settings = {"fp32_precision": _Setting("none", known=_PRECISIONS, kind=str)}
_make_module(__name__)
