"""CUDA: what was built in, how products may round, and which kinds of attention may be used.

Attention is computed one way, the mathematical one; the others may be forbidden, that one not.
"""

import contextlib
import warnings

import opweave
from opweave.backends import _matmul
from opweave.backends._cuda_libraries import (  # noqa: F401
    SDPAParams,
    allow_fp16_bf16_reduction_math_sdp,
    can_use_efficient_attention,
    can_use_flash_attention,
    cufft_plan_cache,
    cuFFTPlanCacheManager,
    fp16_bf16_reduction_math_sdp_allowed,
    is_ck_sdpa_available,
    preferred_blas_library,
    preferred_linalg_library,
    preferred_rocm_fa_library,
)
from opweave.backends._settings import Setting

__all__ = [
    *("cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp"),
    *("enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built", "is_flash_attention_available"),
    *("math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled", "sdp_kernel", "SDPAParams"),
    *("allow_fp16_bf16_reduction_math_sdp", "can_use_efficient_attention"),
    *("can_use_flash_attention", "cuFFTPlanCacheManager", "cufft_plan_cache"),
    *("fp16_bf16_reduction_math_sdp_allowed", "is_ck_sdpa_available", "preferred_blas_library"),
    *("preferred_linalg_library", "preferred_rocm_fa_library"),
]

matmul = _matmul

_KINDS = {
    "flash": Setting(True),
    "mem_efficient": Setting(True),
    "math": Setting(True, {False: "attention is computed this way, and there is no other"}),
    "cudnn": Setting(True),
}


def is_built():
    """Whether the CUDA target is installed."""
    return "cuda" in opweave._targets.available()


def is_flash_attention_available():
    """Whether there is a kernel of flash attention: no."""
    return False


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """Which kinds of attention may be used, within `with`: an older name of nn.attention.sdpa_kernel().

    Raises:
        RuntimeError: the mathematical one is forbidden, which is the only one.
    """
    warnings.warn(
        "backends.cuda.sdp_kernel() is deprecated, use nn.attention.sdpa_kernel()",
        FutureWarning,
        stacklevel=2,
    )
    wanted = {
        "flash": enable_flash,
        "mem_efficient": enable_mem_efficient,
        "math": enable_math,
        "cudnn": enable_cudnn,
    }
    return _permitted(wanted)


@contextlib.contextmanager
def _permitted(wanted):
    before = {name: setting.value for name, setting in _KINDS.items()}
    try:
        for name, value in wanted.items():
            _KINDS[name].assign("sdp_kernel", value)
        yield
    finally:
        for name, value in before.items():
            _KINDS[name].value = value


def enable_flash_sdp(enabled):
    """Permits or forbids flash attention, which there is not."""
    _KINDS["flash"].assign("enable_flash_sdp", enabled)


def enable_mem_efficient_sdp(enabled):
    """Permits or forbids memory-efficient attention, which there is not."""
    _KINDS["mem_efficient"].assign("enable_mem_efficient_sdp", enabled)


def enable_math_sdp(enabled):
    """True; False raises, being the only kind there is."""
    _KINDS["math"].assign("enable_math_sdp", enabled)


def enable_cudnn_sdp(enabled):
    """Permits or forbids cuDNN's attention, which there is not."""
    _KINDS["cudnn"].assign("enable_cudnn_sdp", enabled)


def flash_sdp_enabled():
    """What enable_flash_sdp() was told."""
    return _KINDS["flash"].value


def mem_efficient_sdp_enabled():
    """What enable_mem_efficient_sdp() was told."""
    return _KINDS["mem_efficient"].value


def math_sdp_enabled():
    """True."""
    return _KINDS["math"].value


def cudnn_sdp_enabled():
    """What enable_cudnn_sdp() was told."""
    return _KINDS["cudnn"].value
