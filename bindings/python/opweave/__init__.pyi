# Types of the top module.
# Of two imports of a name mypy takes the first: those of opweave.functional are not the generated ones.
# mypy: disable-error-code="assignment, no-redef"
import builtins
import enum
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import ModuleType
from typing import Any, TypeVar, overload

# isort: split
from opweave.functional import *

# isort: split
from opweave import accelerator as accelerator
from opweave import amp as amp
from opweave import as_torch as as_torch
from opweave import autograd as autograd
from opweave import backends as backends
from opweave import compiler as compiler
from opweave import cuda as cuda
from opweave import distributed as distributed
from opweave import foreach as foreach
from opweave import func as func
from opweave import functional as functional
from opweave import futures as futures
from opweave import fx as fx
from opweave import hub as hub
from opweave import jit as jit
from opweave import library as library
from opweave import linalg as linalg
from opweave import multiprocessing as multiprocessing
from opweave import nn as nn
from opweave import onnx as onnx
from opweave import ops as ops
from opweave import optim as optim
from opweave import overrides as overrides
from opweave import profiler as profiler
from opweave import random as random
from opweave import return_types as return_types
from opweave import serialization as serialization
from opweave import signal as signal
from opweave import special as special
from opweave import storage as storage
from opweave import testing as testing
from opweave import torch_version as torch_version
from opweave import types as types
from opweave import utils as utils
from opweave import version as version
from opweave._as_functions import as_strided_ as as_strided_
from opweave._as_functions import conj_physical_ as conj_physical_
from opweave._as_functions import detach_ as detach_
from opweave._as_functions import fill_ as fill_
from opweave._as_functions import gcd_ as gcd_
from opweave._as_functions import get_device as get_device
from opweave._as_functions import is_distributed as is_distributed
from opweave._as_functions import is_inference as is_inference
from opweave._as_functions import is_vulkan_available as is_vulkan_available
from opweave._as_functions import lcm_ as lcm_
from opweave._as_functions import ldexp_ as ldexp_
from opweave._as_functions import zero_ as zero_
from opweave._C import *
from opweave._C import Generator, Tensor, _bool, _dtype, _int, device, layout
from opweave._composites import (
    block_diag as block_diag,
)
from opweave._composites import (
    broadcast_shapes as broadcast_shapes,
)
from opweave._composites import (
    cartesian_prod as cartesian_prod,
)
from opweave._composites import (
    meshgrid as meshgrid,
)
from opweave._composites import (
    unravel_index as unravel_index,
)
from opweave._creation import from_file as from_file
from opweave._generated import *
from opweave._old_norms import frobenius_norm as frobenius_norm
from opweave._old_norms import nuclear_norm as nuclear_norm
from opweave._segments import gradient as gradient
from opweave._segments import segment_reduce as segment_reduce
from opweave._view_copies import alias_copy as alias_copy
from opweave._view_copies import as_strided_copy as as_strided_copy
from opweave._view_copies import detach_copy as detach_copy
from opweave._view_copies import diagonal_copy as diagonal_copy
from opweave._view_copies import expand_copy as expand_copy
from opweave._view_copies import permute_copy as permute_copy
from opweave._view_copies import select_copy as select_copy
from opweave._view_copies import slice_copy as slice_copy
from opweave._view_copies import split_copy as split_copy
from opweave._view_copies import split_with_sizes_copy as split_with_sizes_copy
from opweave._view_copies import squeeze_copy as squeeze_copy
from opweave._view_copies import t_copy as t_copy
from opweave._view_copies import transpose_copy as transpose_copy
from opweave._view_copies import unbind_copy as unbind_copy
from opweave._view_copies import unfold_copy as unfold_copy
from opweave._view_copies import unsqueeze_copy as unsqueeze_copy
from opweave._view_copies import view_copy as view_copy
from opweave._windows import bartlett_window as bartlett_window
from opweave._windows import blackman_window as blackman_window
from opweave._windows import hamming_window as hamming_window
from opweave._windows import hann_window as hann_window
from opweave._windows import kaiser_window as kaiser_window
from opweave.amp import GradScaler as GradScaler
from opweave.amp.autocast_mode import autocast as autocast
from opweave.func import vmap as vmap
from opweave.futures import Future as Future
from opweave.random import thread_safe_generator as thread_safe_generator
from opweave.serialization import load as load
from opweave.serialization import save as save
from opweave.storage import TypedStorage as TypedStorage
from opweave.utils.dlpack import to_dlpack as to_dlpack

__version__: str
e: builtins.float
inf: builtins.float
nan: builtins.float
pi: builtins.float
newaxis: None

_F = TypeVar("_F", bound=Callable[..., Any])

class _Mode:
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...

class no_grad(_Mode):
    @overload
    def __new__(cls, function: None = None) -> no_grad: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]

class enable_grad(_Mode):
    @overload
    def __new__(cls, function: None = None) -> enable_grad: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]

class inference_mode(_Mode):
    def __init__(self, mode: Any = True) -> None: ...

class set_grad_enabled(_Mode):
    def __init__(self, mode: Any) -> None: ...

class finfo:
    dtype: str
    bits: Any
    eps: Any
    max: Any
    min: Any
    tiny: Any
    smallest_normal: Any
    resolution: Any
    def __init__(self, type: _dtype | None = None) -> None: ...

class iinfo:
    dtype: str
    bits: Any
    max: Any
    min: Any
    def __init__(self, type: _dtype) -> None: ...

def is_autocast_enabled(device_type: str = "cuda") -> _bool: ...
@overload
def set_autocast_enabled(device_type: str, enabled: _bool, /) -> None: ...
@overload
def set_autocast_enabled(enabled: _bool, /) -> None: ...
def get_autocast_dtype(device_type: str) -> _dtype: ...
def set_autocast_dtype(device_type: str, dtype: _dtype, /) -> None: ...
def is_autocast_cache_enabled() -> _bool: ...
def set_autocast_cache_enabled(enabled: _bool, /) -> None: ...
def clear_autocast_cache() -> None: ...
def autocast_increment_nesting() -> _int: ...
def autocast_decrement_nesting() -> _int: ...
def is_autocast_cpu_enabled() -> _bool: ...
def set_autocast_cpu_enabled(enabled: _bool, /) -> None: ...
def get_autocast_cpu_dtype() -> _dtype: ...
def set_autocast_cpu_dtype(dtype: _dtype, /) -> None: ...
def get_autocast_gpu_dtype() -> _dtype: ...
def set_autocast_gpu_dtype(dtype: _dtype, /) -> None: ...

default_generator: Generator

def manual_seed(seed: Any) -> Generator: ...
def seed() -> Any: ...
def initial_seed() -> Any: ...
def get_rng_state() -> Tensor: ...
def set_rng_state(new_state: Tensor) -> None: ...
def trace_operators(
    file: str | PathLike[str] | None = None,
) -> AbstractContextManager[list[str]]: ...
def set_printoptions(
    precision: Any = None,
    threshold: Any = None,
    edgeitems: Any = None,
    linewidth: Any = None,
    profile: str | None = None,
    sci_mode: Any = None,
) -> None: ...
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor: ...
def typename(obj: object) -> str: ...

# Functions of operator libraries and modules of targets that are installed.
def __getattr__(name: str) -> Any: ...
def compile_ops(
    ops: str | PathLike[str],
    derivatives: str | PathLike[str] | None = None,
    kernels: Sequence[str | PathLike[str]] | Mapping[str, Sequence[str | PathLike[str]]] = (),
    *,
    targets: Sequence[str] | None = None,
    name: str | None = None,
    select: str | PathLike[str] | None = None,
    verbose: _bool = False,
) -> ModuleType: ...

has_lapack: _bool
has_mkl: _bool
has_openmp: _bool
has_spectral: _bool

# Old names of tensors of a dtype; an instance is a plain tensor.
class _OldTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class BFloat16Tensor(_OldTensor): ...
class BoolTensor(_OldTensor): ...
class ByteTensor(_OldTensor): ...
class CharTensor(_OldTensor): ...
class DoubleTensor(_OldTensor): ...
class FloatTensor(_OldTensor): ...
class HalfTensor(_OldTensor): ...
class IntTensor(_OldTensor): ...
class LongTensor(_OldTensor): ...
class ShortTensor(_OldTensor): ...
class BFloat16Storage(TypedStorage): ...
class BoolStorage(TypedStorage): ...
class ByteStorage(TypedStorage): ...
class CharStorage(TypedStorage): ...
class ComplexFloatStorage(TypedStorage): ...
class DoubleStorage(TypedStorage): ...
class FloatStorage(TypedStorage): ...
class HalfStorage(TypedStorage): ...
class IntStorage(TypedStorage): ...
class LongStorage(TypedStorage): ...
class ShortStorage(TypedStorage): ...

class Tag(enum.Enum):
    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

class AcceleratorError(RuntimeError): ...
class FatalError(Exception): ...

# Numbers that a tracer does not know: there are none.
class SymInt: ...
class SymFloat: ...
class SymBool: ...

TYPE_CHECKING: _bool
PRIVATE_OPS: tuple[str, ...]

class DisableTorchFunction(_Mode): ...
class DisableTorchFunctionSubclass(_Mode): ...

def is_storage(obj: object) -> _bool: ...
def is_floating_point(input: Tensor) -> _bool: ...
def is_complex(input: Tensor) -> _bool: ...
def is_signed(input: Tensor) -> _bool: ...
def is_nonzero(input: Tensor) -> _bool: ...
def numel(input: Tensor) -> _int: ...
def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None: ...
def are_deterministic_algorithms_enabled() -> _bool: ...
def is_deterministic_algorithms_warn_only_enabled() -> _bool: ...
def set_deterministic_debug_mode(debug_mode: _int | str) -> None: ...
def get_deterministic_debug_mode() -> _int: ...
def set_float32_matmul_precision(precision: str) -> None: ...
def get_float32_matmul_precision() -> str: ...
def set_default_tensor_type(t: builtins.type[Any] | str, /) -> None: ...
def set_warn_always(b: _bool) -> None: ...
def is_warn_always_enabled() -> _bool: ...
def get_device_module(device: device | str | None = None) -> Any: ...
@overload
def compile(model: _F, **options: Any) -> _F: ...
@overload
def compile(model: None = None, **options: Any) -> Callable[[_F], _F]: ...
def set_default_device(device: device | str | _int | None) -> None: ...
def get_default_device() -> device: ...
def set_num_interop_threads(n: _int) -> None: ...
def get_num_interop_threads() -> _int: ...
def set_flush_denormal(mode: _bool) -> _bool: ...
def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any: ...
def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any
) -> Any: ...
def sym_int(a: Any) -> _int: ...
def sym_float(a: Any) -> builtins.float: ...
def sym_not(a: Any) -> _bool: ...
def sym_max(a: Any, b: Any) -> Any: ...
def sym_min(a: Any, b: Any) -> Any: ...
def sym_sqrt(a: Any) -> builtins.float: ...
def sym_sum(args: Any) -> Any: ...
def sym_ite(b: _bool, t: Any, f: Any) -> Any: ...
def sym_constrain_range(size: Any, *, min: _int | None = None, max: _int | None = None) -> None: ...
def sym_constrain_range_for_size(
    size: Any, *, min: _int | None = None, max: _int | None = None
) -> None: ...
def empty_permuted(
    size: Sequence[_int],
    physical_layout: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
