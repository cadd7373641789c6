# Types of the top module.
# Names of opweave.functional take the place of generated ones.
# mypy: disable-error-code="assignment, no-redef"
import builtins
from collections.abc import Callable
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, TypeVar, overload

from opweave import accelerator as accelerator
from opweave import amp as amp
from opweave import as_torch as as_torch
from opweave import autograd as autograd
from opweave import compiler as compiler
from opweave import distributed as distributed
from opweave import func as func
from opweave import fx as fx
from opweave import hub as hub
from opweave import jit as jit
from opweave import library as library
from opweave import nn as nn
from opweave import onnx as onnx
from opweave import ops as ops
from opweave import optim as optim
from opweave import random as random
from opweave import serialization as serialization
from opweave import storage as storage
from opweave import torch_version as torch_version
from opweave import utils as utils
from opweave import version as version
from opweave._C import *
from opweave._C import Generator, Tensor, _bool, _dtype, _int
from opweave._generated import *
from opweave.amp.autocast_mode import autocast as autocast
from opweave.functional import *
from opweave.serialization import load as load
from opweave.serialization import save as save
from opweave.storage import TypedStorage as TypedStorage

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
    def __init__(self, dtype: _dtype | None = None) -> None: ...

class iinfo:
    dtype: str
    bits: Any
    max: Any
    min: Any
    def __init__(self, dtype: _dtype) -> None: ...

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
def __getattr__(name: str) -> Any: ...
