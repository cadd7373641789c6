"""CUDA: what was built in, how products may round, and which ways of attention are permitted."""

import warnings

from opweave import _targets
from opweave.backends import _attention
from opweave.backends._attention import SDPBackend
from opweave.backends._cuda_libraries import (  # noqa: F401
    SDPAParams,
    allow_fp16_bf16_reduction_math_sdp,
    blas_workspace_size,
    can_use_cudnn_attention,
    can_use_efficient_attention,
    can_use_flash_attention,
    cublas_workspace_size,
    cublaslt_workspace_size,
    cufft_plan_cache,
    cuFFTPlanCache,
    cuFFTPlanCacheManager,
    fp16_bf16_reduction_math_sdp_allowed,
    is_ck_sdpa_available,
    preferred_blas_library,
    preferred_linalg_library,
    preferred_rocm_fa_library,
)
from opweave.backends._matmul import cuBLASModule, matmul  # noqa: F401

__all__ = [
    *("cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp"),
    *("enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built", "is_flash_attention_available"),
    *("math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled", "sdp_kernel", "SDPAParams"),
    *("SDPBackend", "allow_fp16_bf16_reduction_math_sdp", "blas_workspace_size", "cuBLASModule"),
    *("can_use_cudnn_attention", "can_use_efficient_attention", "cublas_workspace_size"),
    *("cublaslt_workspace_size", "cuFFTPlanCache"),
    *("can_use_flash_attention", "cuFFTPlanCacheManager", "cufft_plan_cache"),
    *("fp16_bf16_reduction_math_sdp_allowed", "is_ck_sdpa_available", "preferred_blas_library"),
    *("preferred_linalg_library", "preferred_rocm_fa_library"),
]


def is_built():
    """Whether the CUDA target is installed."""
    return "cuda" in _targets.available()


def is_flash_attention_available():
    """Whether there is a kernel of flash attention: no."""
    return False


def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """Which ways of attention are permitted, within `with`: an older name of nn.attention.sdpa_kernel().

    Raises:
        RuntimeError: none is.
    """
    warnings.warn(
        "backends.cuda.sdp_kernel() is deprecated, use nn.attention.sdpa_kernel()",
        FutureWarning,
        stacklevel=2,
    )
    wanted = {
        SDPBackend.FLASH_ATTENTION: enable_flash,
        SDPBackend.MATH: enable_math,
        SDPBackend.EFFICIENT_ATTENTION: enable_mem_efficient,
        SDPBackend.CUDNN_ATTENTION: enable_cudnn,
    }
    return _attention.permitting([way for way, enabled in wanted.items() if enabled], "sdp_kernel")


def enable_flash_sdp(enabled):
    """Permits or forbids flash attention."""
    _attention.change(SDPBackend.FLASH_ATTENTION, enabled, "enable_flash_sdp")


def enable_mem_efficient_sdp(enabled):
    """Permits or forbids memory-efficient attention."""
    _attention.change(SDPBackend.EFFICIENT_ATTENTION, enabled, "enable_mem_efficient_sdp")


def enable_math_sdp(enabled):
    """Permits or forbids the mathematical way of attention."""
    _attention.change(SDPBackend.MATH, enabled, "enable_math_sdp")


def enable_cudnn_sdp(enabled):
    """Permits or forbids cuDNN's attention."""
    _attention.change(SDPBackend.CUDNN_ATTENTION, enabled, "enable_cudnn_sdp")


def flash_sdp_enabled():
    """Whether flash attention is permitted."""
    return SDPBackend.FLASH_ATTENTION in _attention.permitted()


def mem_efficient_sdp_enabled():
    """Whether memory-efficient attention is permitted."""
    return SDPBackend.EFFICIENT_ATTENTION in _attention.permitted()


def math_sdp_enabled():
    """Whether the mathematical way of attention is permitted."""
    return SDPBackend.MATH in _attention.permitted()


def cudnn_sdp_enabled():
    """Whether cuDNN's attention is permitted."""
    return SDPBackend.CUDNN_ATTENTION in _attention.permitted()
