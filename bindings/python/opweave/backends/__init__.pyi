# Types of opweave.backends.
from contextlib import AbstractContextManager

from opweave.backends import cpu as cpu
from opweave.backends import cuda as cuda
from opweave.backends import cudnn as cudnn
from opweave.backends import cusparselt as cusparselt
from opweave.backends import kleidiai as kleidiai
from opweave.backends import mha as mha
from opweave.backends import miopen as miopen
from opweave.backends import mkl as mkl
from opweave.backends import mkldnn as mkldnn
from opweave.backends import mps as mps
from opweave.backends import nnpack as nnpack
from opweave.backends import openmp as openmp
from opweave.backends import opt_einsum as opt_einsum
from opweave.backends import quantized as quantized
from opweave.backends import xnnpack as xnnpack

__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "cusparselt",
    "disable_global_flags",
    "flags",
    "flags_frozen",
    "kleidiai",
    "mha",
    "miopen",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "openmp",
    "opt_einsum",
    "quantized",
    "set_flags",
    "xnnpack",
]

fp32_precision: str

def disable_global_flags() -> None: ...
def flags_frozen() -> bool: ...
def set_flags(_fp32_precision: str | None = "none") -> tuple[str]: ...
def flags(fp32_precision: str | None = "none") -> AbstractContextManager[None]: ...
