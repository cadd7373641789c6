import enum
from contextlib import AbstractContextManager
from typing import Any

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
