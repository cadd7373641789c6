"""Opweave: tensors, operators and automatic differentiation, with PyTorch's names.

The operators and the Tensor class come from the extension _C; what is not needed by every program
is imported when it is first used.
"""

import importlib as _importlib
import os as _os
from math import e, inf, nan, pi

from opweave import _openmp

_openmp.load_extension()

from opweave import _C, _targets  # noqa: E402

# Before the names of _C are copied: it completes them.
from opweave._tensor import Tensor  # noqa: E402

globals().update({k: v for k, v in vars(_C).items() if not k.startswith("_")})

from opweave._grad_mode import (  # noqa: E402
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from opweave.functional import (  # noqa: E402
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_tensors,
    chain_matmul,
    einsum,
    equal,
    norm,
    nonzero,
    tensordot,
    unique,
    unique_consecutive,
    where,
)
from opweave._random import (  # noqa: E402
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from opweave._version import __version__  # noqa: E402

newaxis = None  # as in NumPy: an index that adds a dimension

for _name in _targets.EXPECTED:
    _targets.mark_tensors(_name)


def _module_of_target(name, installed):
    from opweave._target_module import Module

    return Module(name, installed)


_targets.has_modules_made_by(_module_of_target)

_SUBMODULES = frozenset(
    [
        "_VF",
        "_dynamo",
        "_inductor",
        "_jit_internal",
        "_ops",
        "_six",
        "_vmap_internals",
        "__config__",
        "__future__",
        "accelerator",
        "amp",
        "as_torch",
        "autograd",
        "backends",
        "build",
        "compiler",
        "distributed",
        "foreach",
        "func",
        "futures",
        "fx",
        "hub",
        "jit",
        "library",
        "linalg",
        "multiprocessing",
        "nn",
        "onnx",
        "ops",
        "optim",
        "overrides",
        "profiler",
        "random",
        "return_types",
        "serialization",
        "signal",
        "special",
        "storage",
        "testing",
        "torch_version",
        "types",
        "utils",
        "version",
    ]
)
# Where names of the top module are defined that few programs use.
_ELSEWHERE = {
    "from_dlpack": "utils.dlpack",
    "to_dlpack": "utils.dlpack",
    "set_printoptions": "_tensor_str",
    "compile_ops": "build",
    "trace_operators": "_trace",
    "finfo": "_dtype_info",
    "load": "serialization",
    "save": "serialization",
    "TypedStorage": "storage",
    "is_storage": "storage",
    "iinfo": "_dtype_info",
    "autocast": "amp.autocast_mode",
    **dict.fromkeys(
        [
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "set_autocast_cpu_dtype",
            "set_autocast_cpu_enabled",
            "set_autocast_dtype",
            "set_autocast_enabled",
            "set_autocast_gpu_dtype",
        ],
        "amp._settings",
    ),
    **dict.fromkeys(
        [
            "are_deterministic_algorithms_enabled",
            "compile",
            "get_default_device",
            "get_deterministic_debug_mode",
            "get_device_module",
            "get_float32_matmul_precision",
            "is_deterministic_algorithms_warn_only_enabled",
            "is_warn_always_enabled",
            "set_default_device",
            "set_default_tensor_type",
            "set_deterministic_debug_mode",
            "set_float32_matmul_precision",
            "set_warn_always",
            "typename",
            "use_deterministic_algorithms",
        ],
        "_top",
    ),
    **dict.fromkeys(["get_num_interop_threads", "set_num_interop_threads"], "_interop"),
    **dict.fromkeys(
        [
            "cond",
            "empty_permuted",
            "sym_constrain_range",
            "sym_constrain_range_for_size",
            "sym_float",
            "sym_int",
            "sym_ite",
            "sym_max",
            "sym_min",
            "sym_not",
            "sym_sqrt",
            "sym_sum",
            "while_loop",
        ],
        "_control_flow",
    ),
    **dict.fromkeys(
        [
            "AcceleratorError",
            "FatalError",
            "PRIVATE_OPS",
            "SymBool",
            "SymFloat",
            "SymInt",
            "TYPE_CHECKING",
            "Tag",
        ],
        "_tags",
    ),
    **dict.fromkeys(
        [
            "block_diag",
            "broadcast_shapes",
            "cartesian_prod",
            "meshgrid",
            "unravel_index",
        ],
        "_composites",
    ),
    "from_file": "_creation",
    "Future": "futures",
    "thread_safe_generator": "random",
    "is_vulkan_available": "_as_functions",
    "GradScaler": "amp",
    "vmap": "func",
    **dict.fromkeys(
        [
            "BFloat16Tensor",
            "BoolTensor",
            "ByteTensor",
            "CharTensor",
            "DoubleTensor",
            "FloatTensor",
            "HalfTensor",
            "IntTensor",
            "LongTensor",
            "ShortTensor",
        ],
        "_tensor_types",
    ),
}


def _by_rule(name):
    """What is no function of its own: a copy of what a view looks at, a method as a function."""
    if name.endswith("_copy"):
        copies = _importlib.import_module("opweave._view_copies")
        view = copies.view_of(name)
        return None if view is None else copies.copy_of(view)
    functions = _importlib.import_module("opweave._as_functions")
    if name in functions.METHODS:
        return functions.of_method(name)
    return functions.of_the_build(name) if name.startswith("has_") else None


def __getattr__(name):
    if name.startswith("_foreach_"):
        functions = _importlib.import_module("opweave.foreach")
        if (of_lists := name.removeprefix("_foreach_")) in functions.__all__:
            return getattr(functions, of_lists)
    if name.startswith("_") and name not in _SUBMODULES:
        raise AttributeError(f"module 'opweave' has no attribute '{name}'")
    if name in _ELSEWHERE:
        value = getattr(_importlib.import_module(f"opweave.{_ELSEWHERE[name]}"), name)
    elif name.endswith("Storage"):  # FloatStorage and its kin
        value = getattr(_importlib.import_module("opweave.storage"), name, None)
        if value is None:
            raise AttributeError(f"module 'opweave' has no attribute '{name}'")
    elif name in _SUBMODULES:
        value = _importlib.import_module(f"opweave.{name}")
    elif (found := _by_rule(name)) is not None:
        value = found
    else:
        if not _targets.is_target(name):
            raise AttributeError(f"module 'opweave' has no attribute '{name}'")
        value = _targets.module(name)
    globals()[name] = value
    return value


if _file := _os.environ.get("OPWEAVE_TRACE"):
    _importlib.import_module("opweave._trace").trace_program(_file)


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *_ELSEWHERE})
