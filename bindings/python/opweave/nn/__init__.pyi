# Types of opweave.nn. Calls of modules give Any, as in PyTorch: what they take is for each to say.
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from opweave import Tensor
from opweave._hooks import RemovableHandle
from opweave.nn import functional as functional
from opweave.nn import init as init
from opweave.nn import parallel as parallel
from opweave.nn import utils as utils
from opweave.nn.parallel import DataParallel as DataParallel
from opweave.nn.parameter import Buffer as Buffer
from opweave.nn.parameter import Parameter as Parameter
from opweave.nn.parameter import UninitializedBuffer as UninitializedBuffer
from opweave.nn.parameter import UninitializedParameter as UninitializedParameter

_Self = TypeVar("_Self", bound="Module")

class Module:
    training: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    forward: Callable[..., Any]
    def __getattr__(self, name: str) -> Any: ...
    def register_buffer(
        self, name: str, tensor: Tensor | None, persistent: bool = True
    ) -> None: ...
    def register_parameter(self, name: str, param: Parameter | None) -> None: ...
    def register_module(self, name: str, module: Module | None) -> None: ...
    def add_module(self, name: str, module: Module | None) -> None: ...
    def get_submodule(self, target: str) -> Module: ...
    def get_parameter(self, target: str) -> Parameter: ...
    def get_buffer(self, target: str) -> Tensor: ...
    def apply(self: _Self, fn: Callable[[Module], object]) -> _Self: ...
    def to(self: _Self, *args: Any, **kwargs: Any) -> _Self: ...
    def to_empty(self: _Self, *, device: Any, recurse: bool = True) -> _Self: ...
    def type(self: _Self, dst_type: Any) -> _Self: ...
    def cpu(self: _Self) -> _Self: ...
    def cuda(self: _Self, device: Any = None) -> _Self: ...
    def float(self: _Self) -> _Self: ...
    def double(self: _Self) -> _Self: ...
    def half(self: _Self) -> _Self: ...
    def bfloat16(self: _Self) -> _Self: ...
    def train(self: _Self, mode: bool = True) -> _Self: ...
    def eval(self: _Self) -> _Self: ...
    def requires_grad_(self: _Self, requires_grad: bool = True) -> _Self: ...
    def share_memory(self: _Self) -> _Self: ...
    def zero_grad(self, set_to_none: bool = True) -> None: ...
    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]: ...
    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any: ...
    def parameters(self, recurse: bool = True) -> Iterator[Parameter]: ...
    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]: ...
    def buffers(self, recurse: bool = True) -> Iterator[Tensor]: ...
    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]: ...
    def children(self) -> Iterator[Module]: ...
    def named_children(self) -> Iterator[tuple[str, Module]]: ...
    def modules(self) -> Iterator[Module]: ...
    def named_modules(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Module]]: ...
    def register_forward_pre_hook(
        self, hook: Callable[..., Any], **options: Any
    ) -> RemovableHandle: ...
    def register_forward_hook(
        self, hook: Callable[..., Any], **options: Any
    ) -> RemovableHandle: ...
    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle: ...
    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle: ...
    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle: ...
    def extra_repr(self) -> str: ...

class Sequential(Module):
    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: OrderedDict[str, Module]) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: int, module: Module) -> None: ...
    def __delitem__(self, index: Any) -> None: ...
    def __iter__(self) -> Iterator[Module]: ...
    def append(self: _Self, module: Module) -> _Self: ...
    def insert(self: _Self, index: int, module: Module) -> _Self: ...
    def extend(self: _Self, sequential: Iterable[Module]) -> _Self: ...

class ModuleList(Module):
    def __init__(self, modules: Iterable[Module] | None = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: int, module: Module) -> None: ...
    def __delitem__(self, index: Any) -> None: ...
    def __iter__(self) -> Iterator[Module]: ...
    def append(self: _Self, module: Module) -> _Self: ...
    def insert(self, index: int, module: Module) -> None: ...
    def extend(self: _Self, modules: Iterable[Module]) -> _Self: ...

class ModuleDict(Module):
    def __init__(self, modules: Any = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str) -> Module: ...
    def __setitem__(self, key: str, module: Module) -> None: ...
    def __delitem__(self, key: str) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, key: str) -> bool: ...
    def clear(self) -> None: ...
    def pop(self, key: str) -> Module: ...
    def keys(self) -> Iterable[str]: ...
    def items(self) -> Iterable[tuple[str, Module]]: ...
    def values(self) -> Iterable[Module]: ...
    def update(self, modules: Any) -> None: ...

class ParameterList(Module):
    def __init__(self, values: Iterable[Any] | None = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def append(self: _Self, value: Any) -> _Self: ...
    def extend(self: _Self, values: Iterable[Any]) -> _Self: ...

class ParameterDict(Module):
    def __init__(self, parameters: Any = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str) -> Any: ...
    def __setitem__(self, key: str, parameter: Any) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, key: str) -> bool: ...
    def keys(self) -> Iterable[str]: ...
    def items(self) -> Iterable[tuple[str, Any]]: ...
    def values(self) -> Iterable[Any]: ...

class AdaptiveAvgPool1d(Module):
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None: ...

class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None: ...

class AdaptiveAvgPool3d(Module):
    def __init__(self, output_size: int | Sequence[int | None] | None) -> None: ...

class AdaptiveLogSoftmaxWithLoss(Module):
    in_features: int
    n_classes: int
    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Any,
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class AdaptiveMaxPool1d(Module):
    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None: ...

class AdaptiveMaxPool2d(Module):
    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None: ...

class AdaptiveMaxPool3d(Module):
    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None: ...

class AlphaDropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class AvgPool1d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None: ...

class AvgPool2d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None: ...

class AvgPool3d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None: ...

class BCELoss(Module):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class BCEWithLogitsLoss(Module):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None: ...

class BatchNorm1d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class BatchNorm2d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class BatchNorm3d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class Bilinear(Module):
    in1_features: int
    in2_features: int
    out_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class CELU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class CTCLoss(Module):
    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None: ...

class ChannelShuffle(Module):
    groups: int
    def __init__(self, groups: int) -> None: ...

class CircularPad1d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class CircularPad2d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class CircularPad3d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ConstantPad1d(Module):
    def __init__(self, padding: int | str | Sequence[int], value: float | None = None) -> None: ...

class ConstantPad2d(Module):
    def __init__(self, padding: int | str | Sequence[int], value: float | None = None) -> None: ...

class ConstantPad3d(Module):
    def __init__(self, padding: int | str | Sequence[int], value: float | None = None) -> None: ...

class Conv1d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        output_padding: int | Sequence[int] = 0,
    ) -> None: ...

class Conv2d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        output_padding: int | Sequence[int] = 0,
    ) -> None: ...

class Conv3d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        output_padding: int | Sequence[int] = 0,
    ) -> None: ...

class ConvTranspose1d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class ConvTranspose2d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class ConvTranspose3d(Module):
    in_channels: int
    out_channels: int
    groups: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class CosineEmbeddingLoss(Module):
    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class CosineSimilarity(Module):
    dim: int
    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None: ...

class CrossEntropyLoss(Module):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None: ...

class Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class Dropout1d(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class Dropout2d(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class Dropout3d(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class ELU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Embedding(Module):
    num_embeddings: int
    embedding_dim: int
    weight: Parameter
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: Any = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class EmbeddingBag(Module):
    num_embeddings: int
    embedding_dim: int
    weight: Parameter
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class FeatureAlphaDropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...

class Flatten(Module):
    start_dim: int
    end_dim: int
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...

class Fold(Module):
    def __init__(
        self,
        output_size: int | Sequence[int | None] | None,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None: ...

class GELU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class GLU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class GRU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class GRUCell(Module):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class GaussianNLLLoss(Module):
    def __init__(
        self, *, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
    ) -> None: ...

class GroupNorm(Module):
    num_groups: int
    num_channels: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class Hardshrink(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Hardsigmoid(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Hardswish(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Hardtanh(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class HingeEmbeddingLoss(Module):
    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class HuberLoss(Module):
    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None: ...

class Identity(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class InstanceNorm1d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class InstanceNorm2d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class InstanceNorm3d(Module):
    num_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class KLDivLoss(Module):
    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None: ...

class L1Loss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None: ...

class LPPool1d(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> None: ...

class LPPool2d(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> None: ...

class LPPool3d(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        ceil_mode: bool = False,
    ) -> None: ...

class LSTM(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LSTMCell(Module):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LayerNorm(Module):
    weight: Parameter
    bias: Any
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyBatchNorm1d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyBatchNorm2d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyBatchNorm3d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyConv1d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConv2d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConv3d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConvTranspose1d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConvTranspose2d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyConvTranspose3d(Module):
    out_channels: int
    groups: int
    def __init__(
        self,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LazyInstanceNorm1d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyInstanceNorm2d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyInstanceNorm3d(Module):
    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class LazyLinear(Module):
    out_features: int
    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None: ...

class LeakyReLU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Linear(Module):
    in_features: int
    out_features: int
    weight: Parameter
    bias: Any
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LocalResponseNorm(Module):
    size: int
    def __init__(
        self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
    ) -> None: ...

class LogSigmoid(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LogSoftmax(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MSELoss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None: ...

class MarginRankingLoss(Module):
    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class MaxPool1d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...

class MaxPool2d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...

class MaxPool3d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None: ...

class MaxUnpool1d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
    ) -> None: ...

class MaxUnpool2d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
    ) -> None: ...

class MaxUnpool3d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | str | Sequence[int] = 0,
    ) -> None: ...

class Mish(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MultiLabelMarginLoss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None: ...

class MultiLabelSoftMarginLoss(Module):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class MultiMarginLoss(Module):
    def __init__(
        self,
        p: float = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class MultiheadAttention(Module):
    embed_dim: int
    num_heads: int
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: Any = None,
        vdim: Any = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class NLLLoss(Module):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class PReLU(Module):
    num_parameters: int
    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None: ...

class PairwiseDistance(Module):
    def __init__(self, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> None: ...

class PixelShuffle(Module):
    upscale_factor: int
    def __init__(self, upscale_factor: int) -> None: ...

class PixelUnshuffle(Module):
    downscale_factor: int
    def __init__(self, downscale_factor: int) -> None: ...

class PoissonNLLLoss(Module):
    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-08,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class RMSNorm(Module):
    weight: Parameter
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNN(Module):
    input_size: int
    hidden_size: int
    num_layers: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None: ...

class RNNBase(Module):
    input_size: int
    hidden_size: int
    num_layers: int
    def __init__(
        self,
        mode: Any,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNNCell(Module):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNNCellBase(Module):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: Any,
        num_chunks: Any,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RReLU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class ReLU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class ReLU6(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class ReflectionPad1d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ReflectionPad2d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ReflectionPad3d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ReplicationPad1d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ReplicationPad2d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ReplicationPad3d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class SELU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SiLU(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Sigmoid(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SmoothL1Loss(Module):
    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None: ...

class SoftMarginLoss(Module):
    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None: ...

class Softmax(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Softmax2d(Module):
    def __init__(self) -> None: ...

class Softmin(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Softplus(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Softshrink(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Softsign(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SyncBatchNorm(Module):
    num_features: int
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None: ...

class Tanh(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Tanhshrink(Module):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Threshold(Module):
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None: ...

class Transformer(Module):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = ...,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class TransformerDecoder(Module):
    num_layers: int
    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None: ...

class TransformerDecoderLayer(Module):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = ...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class TransformerEncoder(Module):
    num_layers: int
    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None: ...

class TransformerEncoderLayer(Module):
    d_model: int
    nhead: int
    dim_feedforward: int
    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = ...,
        layer_norm_eps: float = 1e-05,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class TripletMarginLoss(Module):
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-06,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None: ...

class TripletMarginWithDistanceLoss(Module):
    def __init__(
        self,
        *,
        distance_function: Any = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None: ...

class Unflatten(Module):
    dim: int
    def __init__(self, dim: int, unflattened_size: int | Sequence[int]) -> None: ...

class Unfold(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        dilation: int | Sequence[int] = 1,
        padding: int | str | Sequence[int] = 0,
        stride: int | Sequence[int] = 1,
    ) -> None: ...

class Upsample(Module):
    size: int
    def __init__(
        self,
        size: int | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: Any = None,
        recompute_scale_factor: Any = None,
    ) -> None: ...

class UpsamplingBilinear2d(Module):
    size: int
    def __init__(self, size: int | None = None, scale_factor: Any = None) -> None: ...

class UpsamplingNearest2d(Module):
    size: int
    def __init__(self, size: int | None = None, scale_factor: Any = None) -> None: ...

class ZeroPad1d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ZeroPad2d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class ZeroPad3d(Module):
    def __init__(self, padding: int | str | Sequence[int]) -> None: ...

class FractionalMaxPool2d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: int | Sequence[int] | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None: ...

class FractionalMaxPool3d(Module):
    def __init__(
        self,
        kernel_size: int | Sequence[int],
        output_size: int | Sequence[int] | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None: ...

class CrossMapLRN2d(Module):
    def __init__(
        self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> None: ...

class LinearCrossEntropyLoss(Module):
    linear: Linear
    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: Sequence[int] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        weight: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: None = None,
    ) -> None: ...

class NLLLoss2d(NLLLoss): ...

class Container(Module):
    def __init__(self, **kwargs: Module) -> None: ...

def factory_kwargs(kwargs: Mapping[str, Any] | None) -> dict[str, Any]: ...
