# Types of opweave.nn.parallel.
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from opweave import Tensor, device
from opweave.distributed import ProcessGroup
from opweave.nn import Module

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]

_Device = device | str | int

class DataParallel(Module):
    module: Module
    device_ids: list[int]
    output_device: Any
    dim: int
    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_Device] | None = None,
        output_device: _Device | None = None,
        dim: int = 0,
    ) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Any: ...
    def replicate(self, module: Module, device_ids: Sequence[_Device]) -> list[Module]: ...
    def scatter(self, inputs: Any, kwargs: Any, device_ids: Sequence[_Device]) -> Any: ...
    def parallel_apply(self, replicas: Sequence[Module], inputs: Any, kwargs: Any) -> list[Any]: ...
    def gather(self, outputs: Any, output_device: _Device) -> Any: ...

class DistributedDataParallel(Module):
    module: Module
    process_group: ProcessGroup
    device: device
    device_ids: list[Any] | None
    broadcast_buffers: bool
    require_backward_grad_sync: bool
    def __init__(
        self,
        module: Module,
        device_ids: Sequence[_Device] | None = None,
        output_device: _Device | None = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Iterable[tuple[str, Tensor]] | None = None,
        param_to_hook_all_reduce: Tensor | None = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: Sequence[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
        lazy_bucket_allocation: bool = False,
    ) -> None: ...
    def no_sync(self) -> AbstractContextManager[None]: ...
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> AbstractContextManager[Any]: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Any: ...
    def will_sync_module_buffers(self) -> bool: ...
    def register_comm_hook(self, state: Any, hook: Any) -> None: ...
    def bucket_order(self) -> list[str]: ...
    def set_bucket_order(self, names: Sequence[str]) -> None: ...
    def statistics(self) -> dict[str, Any]: ...

def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[_Device] | None = None,
    output_device: _Device | None = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any: ...
def gather(outputs: Any, target_device: _Device, dim: int = 0) -> Any: ...
def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[_Device] | None = None,
) -> list[Any]: ...
def replicate(
    network: Module, devices: Sequence[_Device], detach: bool = False
) -> list[Module]: ...
def scatter(inputs: Any, target_gpus: Sequence[_Device], dim: int = 0) -> Any: ...
