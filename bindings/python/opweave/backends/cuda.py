"""CUDA: what was built in, how products may round, and which kinds of attention may be used.

Attention is computed one way, the mathematical one; the others may be forbidden, that one not.
"""

import opweave
from opweave.backends import _matmul
from opweave.backends._settings import Setting

__all__ = [
    *("cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp"),
    *("enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built", "is_flash_attention_available"),
    *("math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled"),
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
