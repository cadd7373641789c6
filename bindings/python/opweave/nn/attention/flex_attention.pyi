# Types of opweave.nn.attention.flex_attention.
from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypedDict

from opweave import Tensor, device

_Device = device | str | int
_Mask = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
_Score = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_Index = int | slice | Tensor

class AuxRequest(NamedTuple):
    lse: bool = ...
    max_scores: bool = ...

class AuxOutput(NamedTuple):
    lse: Tensor | None = ...
    max_scores: Tensor | None = ...

class FlexKernelOptions(TypedDict, total=False):
    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    BACKEND: str

class BlockMask:
    seq_lengths: tuple[int, int]
    BLOCK_SIZE: tuple[int, int]
    mask_mod: _Mask
    kv_num_blocks: Tensor
    kv_indices: Tensor
    full_kv_num_blocks: Tensor | None
    full_kv_indices: Tensor | None
    q_num_blocks: Tensor | None
    q_indices: Tensor | None
    full_q_num_blocks: Tensor | None
    full_q_indices: Tensor | None
    def __init__(
        self,
        seq_lengths: tuple[int, int],
        *,
        BLOCK_SIZE: tuple[int, int],
        mask_mod: _Mask,
        **blocks: Tensor | None,
    ) -> None: ...
    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = 128,
        mask_mod: _Mask | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> Self: ...
    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def numel(self) -> int: ...
    def sparsity(self) -> float: ...
    def to_dense(self) -> Tensor: ...
    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str: ...
    def to(self, device: _Device) -> BlockMask: ...
    def __getitem__(self, index: _Index | tuple[_Index, ...]) -> BlockMask: ...

def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor: ...
def or_masks(*mask_mods: _Mask) -> _Mask: ...
def and_masks(*mask_mods: _Mask) -> _Mask: ...
def create_mask(
    mod_fn: _Mask | _Score,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: _Device | None = None,
) -> Tensor: ...
def create_block_mask(
    mask_mod: _Mask,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: _Device | None = None,
    BLOCK_SIZE: int | tuple[int, int] = 128,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask: ...
def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: _Score | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any: ...
