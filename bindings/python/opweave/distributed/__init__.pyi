# Types of opweave.distributed.
import enum
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from os import PathLike
from typing import Any, ClassVar

from opweave import Tensor
from opweave.distributed import trace as trace
from opweave.futures import Future

# What PyTorch's stores take for a value, and for a key.
_Text = str | bytes
_Timeout = timedelta | float

class DistError(RuntimeError): ...
class DistBackendError(DistError): ...
class DistNetworkError(DistError): ...
class DistStoreError(DistError): ...
class QueueEmptyError(DistStoreError): ...

class Store:
    def __init__(self) -> None: ...
    def set(self, key: _Text, value: _Text) -> None: ...
    def get(self, key: _Text) -> bytes: ...
    def add(self, key: _Text, amount: int) -> int: ...
    def compare_set(self, key: _Text, expected_value: _Text, desired_value: _Text) -> bytes: ...
    def append(self, key: _Text, value: _Text) -> None: ...
    def delete_key(self, key: _Text) -> bool: ...
    def multi_get(self, keys: Sequence[_Text]) -> list[bytes]: ...
    def multi_set(self, keys: Sequence[_Text], values: Sequence[_Text]) -> None: ...
    def check(self, keys: Sequence[_Text]) -> bool: ...
    def wait(self, keys: Sequence[_Text], timeout: _Timeout = ...) -> None: ...
    def barrier(self, key: _Text, world_size: int, timeout: _Timeout | None = None) -> None: ...
    def num_keys(self) -> int: ...
    def list_keys(self) -> list[str]: ...
    def queue_push(self, key: _Text, value: _Text) -> None: ...
    def queue_pop(self, key: _Text, block: bool = True) -> bytes: ...
    def queue_len(self, key: _Text) -> int: ...
    def clone(self) -> Store: ...
    def set_timeout(self, timeout: _Timeout) -> None: ...
    @property
    def timeout(self) -> timedelta: ...
    def has_extended_api(self) -> bool: ...

class GradBucket:
    def index(self) -> int: ...
    def is_last(self) -> bool: ...
    def buffer(self) -> Tensor: ...
    def gradients(self) -> list[Tensor]: ...
    def parameters(self) -> list[Tensor]: ...
    def set_buffer(self, buffer: Tensor) -> None: ...
    def used(self) -> list[bool]: ...
    def group(self) -> ProcessGroup: ...

class BuiltinCommHookType(enum.Enum):
    ALLREDUCE = 1
    FP16_COMPRESS = 2
    def hook(self) -> Callable[[Any, GradBucket], Future]: ...

class HashStore(Store): ...

class FileStore(Store):
    def __init__(self, file_name: str, world_size: int = -1, timeout: _Timeout = ...) -> None: ...
    @property
    def path(self) -> str: ...

class TCPStore(Store):
    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: _Timeout = ...,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
        secret: _Text | None = None,
    ) -> None: ...
    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def libuvBackend(self) -> bool: ...  # noqa: N802 - PyTorch's name

class EtcdStore(Store):
    def __init__(
        self,
        endpoints: str | Sequence[str],
        prefix: _Text = "/opweave/store",
        timeout: _Timeout = ...,
        user: _Text | None = None,
        password: _Text | None = None,
        ca_cert: str | None = None,
        cert: str | None = None,
        cert_key: str | None = None,
    ) -> None: ...
    @property
    def prefix(self) -> str: ...

class PrefixStore(Store):
    def __init__(self, prefix: str, store: Store) -> None: ...
    @property
    def underlying_store(self) -> Store: ...
    @property
    def _underlying_non_prefix_store(self) -> Store: ...

def is_available() -> bool: ...

_Met = Iterator[tuple[Store, int, int]]

def rendezvous(url: _Text, rank: int = -1, world_size: int = -1, **kwargs: Any) -> _Met: ...
def register_rendezvous_handler(scheme: str, handler: Callable[..., _Met]) -> None: ...

class ReduceOp(enum.StrEnum):
    SUM = ...
    AVG = ...
    PRODUCT = ...
    MIN = ...
    MAX = ...
    BAND = ...
    BOR = ...
    BXOR = ...

    RedOpType: ClassVar[type[ReduceOp]]

reduce_op: Any
GroupName = str

class GroupMember:
    NON_GROUP_MEMBER: int

class Backend(str):
    UNDEFINED: ClassVar[str]
    SHM: ClassVar[str]
    GLOO: ClassVar[str]
    FAKE: ClassVar[str]
    NCCL: ClassVar[str]
    MPI: ClassVar[str]
    UCC: ClassVar[str]
    XCCL: ClassVar[str]
    backend_list: ClassVar[list[str]]
    default_device_backend_map: ClassVar[dict[str, str]]
    backend_capability: ClassVar[dict[str, list[str]]]
    backend_type_map: ClassVar[dict[str, enum.IntEnum]]
    def __new__(cls, name: str) -> Backend: ...
    @classmethod
    def register_backend(
        cls,
        name: str,
        func: Callable[..., ProcessGroup],
        extended_api: bool = False,
        devices: str | Sequence[str] | None = None,
    ) -> None: ...

class BackendConfig:
    def __init__(self, backend: str) -> None: ...
    @property
    def device_backend_map(self) -> dict[str, str]: ...
    def get_device_backend_map(self) -> dict[str, str]: ...

def get_default_backend_for_device(device: Any) -> str: ...

_Tensors = Tensor | Sequence[Tensor]
_Lists = Sequence[Tensor] | Sequence[Sequence[Tensor]]

class _Collectives:
    def allreduce(
        self,
        tensors: _Tensors,
        op: str | _Options | None = None,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def allreduce_coalesced(
        self, tensors: Sequence[Tensor], opts: _Options | None = None
    ) -> Work: ...
    def broadcast(
        self,
        tensors: _Tensors,
        root: int | _Options | None = None,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def reduce(
        self,
        tensors: _Tensors,
        root: int | _Options | None = None,
        op: str = ...,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def allgather(
        self,
        output_tensors: _Lists,
        input_tensors: _Tensors,
        timeout: timedelta | _Options | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def all_gather_single(
        self, output: Tensor, input: Tensor, opts: _Options | None = None
    ) -> Work: ...
    def gather(
        self,
        output_tensors: _Lists,
        input_tensors: _Tensors,
        root: int | _Options | None = None,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def scatter(
        self,
        output_tensors: _Tensors,
        input_tensors: _Lists,
        root: int | _Options | None = None,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def reduce_scatter(
        self,
        output_tensors: _Tensors,
        input_tensors: _Lists,
        op: str | _Options | None = None,
        timeout: timedelta | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def reduce_scatter_single(
        self, output_tensor: Tensor, input_tensor: Tensor, opts: _Options | None = None
    ) -> Work: ...
    def alltoall(
        self,
        output_tensors: Sequence[Tensor],
        input_tensors: Sequence[Tensor],
        opts: _Options | None = None,
    ) -> Work: ...
    def all_to_all_single(
        self,
        output: Tensor,
        input: Tensor,
        output_split_sizes: Sequence[int] | None,
        input_split_sizes: Sequence[int] | None,
        timeout: timedelta | _Options | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def alltoall_base(
        self,
        output: Tensor,
        input: Tensor,
        output_split_sizes: Sequence[int] | None,
        input_split_sizes: Sequence[int] | None,
        timeout: timedelta | _Options | None = None,
        *,
        opts: _Options | None = None,
    ) -> Work: ...
    def send(self, tensors: _Tensors, dst_rank: int, tag: int = 0) -> Work: ...
    def recv(self, tensors: _Tensors, src_rank: int, tag: int = 0) -> Work: ...
    def recv_anysource(self, tensors: _Tensors, tag: int = 0) -> Work: ...
    def barrier(
        self, timeout: timedelta | _Options | None = None, *, opts: _Options | None = None
    ) -> Work: ...
    def rank(self) -> int: ...
    def size(self) -> int: ...
    def name(self) -> str: ...
    def shutdown(self) -> None: ...
    def abort(self, reason: str = "it was aborted") -> None: ...

class ProcessGroup(_Collectives):
    BackendType: ClassVar[type[enum.IntEnum]]
    UNDEFINED: ClassVar[enum.IntEnum]
    GLOO: ClassVar[enum.IntEnum]
    NCCL: ClassVar[enum.IntEnum]
    XCCL: ClassVar[enum.IntEnum]
    UCC: ClassVar[enum.IntEnum]
    MPI: ClassVar[enum.IntEnum]
    CUSTOM: ClassVar[enum.IntEnum]
    def __init__(self, rank: int, size: int) -> None: ...
    @property
    def group_name(self) -> str: ...
    @property
    def group_desc(self) -> str: ...
    @property
    def bound_device_id(self) -> Any: ...
    def get_backend(self, device: Any) -> Any: ...
    def get_group_store(self) -> Store: ...
    def set_timeout(self, timeout: timedelta) -> None: ...

class _BackendOptions:
    backend: str
    global_ranks_in_group: list[int]
    group_name: str
    def __init__(self, backend: str, timeout: timedelta = ...) -> None: ...

class _Implementation(_Collectives):
    Options: ClassVar[type[Any]]
    def __init__(
        self, store: Store, rank: int, size: int, timeout: timedelta | _BackendOptions = ...
    ) -> None: ...
    @property
    def options(self) -> _BackendOptions: ...

class ProcessGroupGloo(_Implementation): ...
class ProcessGroupShm(_Implementation): ...
class ProcessGroupMPI(_Implementation): ...
class ProcessGroupNCCL(_Implementation): ...

def get_backend_impl(group: str | ProcessGroup | None = None, device: Any = None) -> Any: ...

@dataclass(kw_only=True)
class _Options:
    asyncOp: bool = True
    timeout: timedelta = ...

class AllToAllOptions(_Options): ...
class AllgatherOptions(_Options): ...

@dataclass(kw_only=True)
class AllreduceOptions(_Options):
    reduceOp: str = ...

class AllreduceCoalescedOptions(AllreduceOptions): ...

@dataclass(kw_only=True)
class ReduceScatterOptions(_Options):
    reduceOp: str = ...

@dataclass(kw_only=True)
class GatherOptions(_Options):
    rootRank: int = 0

@dataclass(kw_only=True)
class ScatterOptions(_Options):
    rootRank: int = 0

@dataclass(kw_only=True)
class BroadcastOptions(_Options):
    rootRank: int = 0
    rootTensor: int = 0

@dataclass(kw_only=True)
class ReduceOptions(_Options):
    reduceOp: str = ...
    rootRank: int = 0
    rootTensor: int = 0

@dataclass(kw_only=True)
class BarrierOptions(_Options):
    device_ids: list[int] = ...
    device: Any = None

def shrink_group(
    ranks_to_exclude: list[int],
    group: ProcessGroup | None = None,
    shrink_flags: int = 0,
    pg_options: Any = None,
) -> ProcessGroup: ...
def record_comm(name: str) -> AbstractContextManager[None]: ...
def breakpoint(rank: int = 0, skip: int = 0, timeout_s: float | None = 3600) -> None: ...
def all_gather_coalesced(
    output_tensor_lists: Sequence[Sequence[Tensor]],
    input_tensor_list: Sequence[Tensor],
    group: _Group = None,
    async_op: bool = False,
) -> Future | None: ...

class Work:
    def wait(self, timeout: timedelta | None = None) -> bool: ...
    def is_completed(self) -> bool: ...
    def is_success(self) -> bool: ...
    def exception(self) -> RuntimeError | None: ...
    def result(self) -> list[Tensor]: ...
    def get_future(self) -> Future: ...
    def source_rank(self) -> int: ...
    def get_future_result(self) -> Future: ...
    def synchronize(self) -> None: ...
    def block_current_stream(self) -> None: ...

class _Names(type):
    @property
    def WORLD(cls) -> ProcessGroup | None: ...  # noqa: N802 - PyTorch's name

class group(metaclass=_Names): ...

default_pg_nccl_timeout: timedelta
default_pg_timeout: timedelta

_Group = ProcessGroup | int | None

def is_initialized() -> bool: ...
def is_backend_available(backend: str) -> bool: ...
def is_gloo_available() -> bool: ...
def is_nccl_available() -> bool: ...
def is_mpi_available() -> bool: ...
def is_ucc_available() -> bool: ...
def is_xccl_available() -> bool: ...
def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: object = None,
) -> None: ...
def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> ProcessGroup | int: ...
def destroy_process_group(group: _Group = None) -> None: ...
def get_rank(group: _Group = None) -> int: ...
def get_world_size(group: _Group = None) -> int: ...
def get_backend(group: _Group = None) -> str: ...
def get_backend_config(group: _Group = None) -> str: ...
def get_process_group_ranks(group: _Group = None) -> list[int]: ...
def get_group_rank(group: ProcessGroup, global_rank: int) -> int: ...
def get_global_rank(group: ProcessGroup, group_rank: int) -> int: ...
def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: _Group = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None: ...
def all_reduce(
    tensor: Tensor, op: str = ..., group: _Group = None, async_op: bool = False
) -> Work | None: ...
def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: str = ..., group: _Group = None, async_op: bool = False
) -> Work | None: ...
def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: str = ...,
    group: _Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None: ...
def all_gather(
    tensor_list: Sequence[Tensor], tensor: Tensor, group: _Group = None, async_op: bool = False
) -> Work | None: ...
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: _Group = None, async_op: bool = False
) -> Work | None: ...
def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None = None,
    dst: int | None = None,
    group: _Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None: ...
def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None = None,
    src: int | None = None,
    group: _Group = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None: ...
def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: str = ...,
    group: _Group = None,
    async_op: bool = False,
) -> Work | None: ...
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = ..., group: _Group = None, async_op: bool = False
) -> Work | None: ...
def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: _Group = None,
    async_op: bool = False,
) -> Work | None: ...
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: _Group = None,
    async_op: bool = False,
) -> Work | None: ...
def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: _Group = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None: ...
def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: _Group = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None: ...
def send(
    tensor: Tensor,
    dst: int | None = None,
    group: _Group = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None: ...
def recv(
    tensor: Tensor,
    src: int | None = None,
    group: _Group = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int: ...
def barrier(
    group: _Group = None,
    async_op: bool = False,
    device_ids: Sequence[int] | None = None,
    timeout: timedelta | None = None,
) -> Work | None: ...

class P2POp:
    def __init__(
        self,
        op: Callable[..., Work | None],
        tensor: Tensor,
        peer: int | None = None,
        group: _Group = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None: ...

def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]: ...
def all_gather_object(
    object_list: list[Any], obj: Any, group: _Group = None, weights_only: bool = False
) -> None: ...
def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: _Group = None,
    group_dst: int | None = None,
    weights_only: bool = False,
) -> None: ...
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: _Group = None,
    device: Any = None,
    group_src: int | None = None,
    weights_only: bool = False,
) -> None: ...
def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: _Group = None,
    group_src: int | None = None,
    weights_only: bool = False,
) -> None: ...
def send_object_list(
    object_list: Sequence[Any],
    dst: int | None = None,
    group: _Group = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
    weights_only: bool = False,
) -> None: ...
def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: _Group = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
    weights_only: bool = False,
) -> int: ...
def new_subgroups(
    group_size: int | None = None,
    group: _Group = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup, list[ProcessGroup | int]]: ...
def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | None, list[ProcessGroup | int]]: ...
def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: Sequence[Sequence[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: str | None = None,
) -> ProcessGroup | int: ...

class DeviceMesh:
    device_type: str
    mesh: Tensor
    mesh_dim_names: tuple[str, ...] | None
    def __init__(
        self, device_type: str, mesh: Any = None, *, mesh_dim_names: Sequence[str] | None = None
    ) -> None: ...
    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def size(self, mesh_dim: int | None = None) -> int: ...
    def get_rank(self) -> int: ...
    def get_coordinate(self) -> tuple[int, ...] | None: ...
    def get_local_rank(self, mesh_dim: int | str | None = None) -> int: ...
    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup: ...
    def get_all_groups(self) -> list[ProcessGroup]: ...
    def abort(self) -> None: ...
    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh: ...
    @staticmethod
    def from_group(
        group: ProcessGroup | Sequence[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
    ) -> DeviceMesh: ...

def init_device_mesh(
    device_type: str,
    mesh_shape: Sequence[int],
    *,
    mesh_dim_names: Sequence[str] | None = None,
    backend_override: dict[int | str, Any] | None = None,
) -> DeviceMesh: ...
def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: _Group = None, async_op: bool = False
) -> Work | None: ...
def reduce_scatter_single(
    output: Tensor, input: Tensor, op: str = ..., group: _Group = None, async_op: bool = False
) -> Work | None: ...
def gather_single(
    tensor: Tensor,
    gather_tensor: Tensor | None = None,
    dst: int | None = None,
    group: _Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None: ...
def gather_into_tensor(
    tensor: Tensor,
    gather_tensor: Tensor | None = None,
    dst: int | None = None,
    group: _Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None: ...
def monitored_barrier(
    group: _Group = None, timeout: timedelta | float | None = None, wait_all_ranks: bool = False
) -> None: ...
def supports_complex(reduceOp: str) -> bool: ...

class DebugLevel(enum.IntEnum):
    OFF = 0
    INFO = 1
    DETAIL = 2

def get_debug_level() -> DebugLevel: ...
def set_debug_level(level: DebugLevel) -> None: ...
def set_debug_level_from_env() -> None: ...
def get_node_local_rank(fallback_rank: int | None = None) -> int: ...
def is_torchelastic_launched() -> bool: ...
def get_pg_count() -> int: ...
def set_timeout(timeout: timedelta, group: ProcessGroup | None = None) -> None: ...
def explain(nbytes: int, group: _Group = None) -> str: ...
def measure_links(
    group: _Group = None, seconds: float = 0.3, cache: str | PathLike[str] | None = None
) -> dict[str, dict[str, float]]: ...
def bucket_cap_mb(links: dict[str, dict[str, float]]) -> float: ...

class Scheduler:
    group: ProcessGroup
    round_mb: float
    def __init__(self, group: _Group = None, round_mb: float | None = None) -> None: ...
    def all_reduce(self, tensor: Tensor, op: ReduceOp = ..., priority: int = 0) -> Work: ...
    def broadcast(
        self,
        tensor: Tensor,
        src: int | None = None,
        priority: int = 0,
        group_src: int | None = None,
    ) -> Work: ...
    def statistics(self) -> dict[str, float]: ...
    def explain(self) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> Scheduler: ...
    def __exit__(self, *error: object) -> None: ...

def staging_statistics(group: _Group = None) -> dict[str, int]: ...
def register_nccl_library(name: str, library: str, device: str) -> None: ...
