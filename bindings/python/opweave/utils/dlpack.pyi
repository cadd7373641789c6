# Types of opweave.utils.dlpack.
import enum
from typing import Any

from opweave import Tensor, device

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]

class DLDeviceType(enum.IntEnum):
    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18

def from_dlpack(
    ext_tensor: Any, *, device: device | str | None = None, copy: bool | None = None
) -> Tensor: ...
def to_dlpack(tensor: Tensor) -> Any: ...
