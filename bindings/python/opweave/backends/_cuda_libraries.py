"""What PyTorch's programs ask of CUDA's libraries: which one is preferred, how much memory they work in.

One library multiplies matrices and one solves, so that only the default can be preferred; the mathematical
attention is the only one, so that the others cannot be used.
"""

import enum

from opweave import _C, _targets
from opweave.backends._settings import Setting

_reduction = Setting(False)


class LinalgBackend(enum.Enum):
    """Who solves and factorises."""

    Default = 0
    Cusolver = 1
    Magma = 2


class BlasBackend(enum.Enum):
    """Who multiplies matrices."""

    Default = -1
    Cublas = 0
    Cublaslt = 1
    Ck = 2


class ROCmFABackend(enum.Enum):
    """Who computes attention on AMD's devices."""

    Default = 0
    AOTriton = 1
    Ck = 2


def _preferred(who, kind, names, backend):
    default = kind.Default
    if backend is None:
        return default
    if isinstance(backend, str):
        if backend not in names:
            raise RuntimeError(
                f"{who}(): backend: Unknown input value {backend!r}. Choose from: {', '.join(names)}."
            )
        backend = names[backend]
    elif not isinstance(backend, kind):
        raise RuntimeError(
            f"{who}(): backend: Unknown input value type {type(backend).__name__}, expected str or "
            f"{kind.__name__}."
        )
    if backend is not default:
        raise RuntimeError(
            f"{who}(): backend: {backend.name.lower()} cannot be preferred: there is one library, 'default'"
        )
    return default


def preferred_linalg_library(backend=None):
    """Which library solves and factorises on NVIDIA's devices: "default", which alone can be chosen.

    Raises:
        RuntimeError: another.
    """
    names = {
        "default": LinalgBackend.Default,
        "cusolver": LinalgBackend.Cusolver,
        "magma": LinalgBackend.Magma,
    }
    return _preferred("preferred_linalg_library", LinalgBackend, names, backend)


def preferred_blas_library(backend=None):
    """Which library multiplies matrices on NVIDIA's devices: "default", which alone can be chosen.

    Raises:
        RuntimeError: another.
    """
    names = {
        "default": BlasBackend.Default,
        "cublas": BlasBackend.Cublas,
        "hipblas": BlasBackend.Cublas,
        "cublaslt": BlasBackend.Cublaslt,
        "hipblaslt": BlasBackend.Cublaslt,
        "ck": BlasBackend.Ck,
    }
    return _preferred("preferred_blas_library", BlasBackend, names, backend)


def preferred_rocm_fa_library(backend=None):
    """Which library computes attention on AMD's devices: "default", which alone can be chosen.

    Raises:
        RuntimeError: another.
    """
    names = {
        "default": ROCmFABackend.Default,
        "aotriton": ROCmFABackend.AOTriton,
        "ck": ROCmFABackend.Ck,
    }
    return _preferred("preferred_rocm_fa_library", ROCmFABackend, names, backend)


def is_ck_sdpa_available():
    """Whether there is attention by AMD's composable kernels: no."""
    return False


def fp16_bf16_reduction_math_sdp_allowed():
    """What allow_fp16_bf16_reduction_math_sdp() was told."""
    return _reduction.value


def allow_fp16_bf16_reduction_math_sdp(enabled):
    """Permits attention of 16 bits to sum up in 16 bits, which no kernel does."""
    _reduction.assign("allow_fp16_bf16_reduction_math_sdp", enabled)


class SDPAParams:
    """The arguments of scaled_dot_product_attention(), to ask which ways can compute it."""

    def __init__(self, query, key, value, attn_mask, dropout, is_causal, enable_gqa):
        for name, given in (("query", query), ("key", key), ("value", value)):
            if not isinstance(given, _C.Tensor):
                raise TypeError(
                    f"SDPAParams(): {name}: expected a Tensor, got {type(given).__name__}"
                )
        self.query, self.key, self.value = query, key, value
        self.attn_mask, self.dropout = attn_mask, dropout
        self.is_causal, self.enable_gqa = is_causal, enable_gqa


def can_use_flash_attention(params, debug=False):
    """Whether flash attention can compute it: there is none."""
    return False


def can_use_efficient_attention(params, debug=False):
    """Whether memory-efficient attention can compute it: there is none."""
    return False


def can_use_cudnn_attention(params, debug=False):
    """Whether cuDNN's attention can compute it: there is none."""
    return False


def _workspace(who):
    _targets.module("cuda")._require(who)
    raise RuntimeError(
        f"{who}(): the memory that products work in is the target's own, and has no setting"
    )


def cublas_workspace_size(size=None):
    """How much memory products on NVIDIA's devices work in.

    Raises:
        RuntimeError: always.
    """
    _workspace("cublas_workspace_size")


def cublaslt_workspace_size(size=None):
    """The same of the other library.

    Raises:
        RuntimeError: always.
    """
    _workspace("cublaslt_workspace_size")


def blas_workspace_size(size=None, backend=None):
    """The same of the preferred library.

    Raises:
        RuntimeError: always.
    """
    _workspace("blas_workspace_size")


def _no_plans(name):
    raise RuntimeError(
        f"backends.cuda.cufft_plan_cache{name}: Opweave has no Fourier transforms on CUDA devices, and "
        "keeps no plans of them"
    )


class cuFFTPlanCache:  # noqa: N801 - PyTorch's name
    """The plans of one device.

    Raises:
        RuntimeError: when one is made.
    """

    def __init__(self, device_index):
        _no_plans(f"[{device_index!r}]")


class cuFFTPlanCacheManager:  # noqa: N801 - PyTorch's name
    """Plans of Fourier transforms that are kept: there are no transforms on devices."""

    def __getattr__(self, name):
        """Refused, but for names of Python's own.

        Raises:
            AttributeError: one of those.
            RuntimeError: any other.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        _no_plans(f".{name}")

    def __setattr__(self, name, value):
        """Refused.

        Raises:
            RuntimeError: always.
        """
        _no_plans(f".{name} = {value!r}")

    def __getitem__(self, device):
        """Refused.

        Raises:
            RuntimeError: always.
        """
        return cuFFTPlanCache(device)


cufft_plan_cache = cuFFTPlanCacheManager()
