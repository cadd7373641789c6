import enum
from contextlib import AbstractContextManager
from typing import Any

from opweave import Tensor

WARN_FOR_UNFUSED_KERNELS: bool

class SDPBackend(enum.IntEnum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

def sdpa_kernel(
    backends: SDPBackend | list[SDPBackend], set_priority: bool = False
) -> AbstractContextManager[dict[Any, Any]]: ...

class SDPAParams:
    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None
    dropout: float
    is_causal: bool
    enable_gqa: bool
    def __init__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None,
        dropout: float,
        is_causal: bool,
        enable_gqa: bool,
    ) -> None: ...

def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool: ...
def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool: ...
def list_flash_attention_impls() -> list[str]: ...
def current_flash_attention_impl() -> str | None: ...
def activate_flash_attention_impl(impl: str) -> None: ...
def restore_flash_attention_impl() -> None: ...
