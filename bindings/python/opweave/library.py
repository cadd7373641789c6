"""Operators and kernels from Python, after torch.library.

`custom_op` makes a Python function an operator; `Library` is beneath it.

with Library("mine") as library:
    library.define("twice(Tensor self) -> Tensor")
    library.impl("twice", lambda x: x + x, "cpu")
    opweave.ops.mine.twice(t)
"""

import importlib

from opweave import _C, _ops
from opweave._custom_ops.keys import DispatchKeySet, fallthrough_kernel  # noqa: F401
from opweave._custom_ops.library import (  # noqa: F401
    Library,
    dispatch_keys,
    fake_place,
    register_functionality,
)

OpOverload = _C._Operator | _ops.OpOverload  # an operator with its overload, by either of its faces
# Where names are defined that few programs need.
_ELSEWHERE = {
    **dict.fromkeys(["CustomOpDef", "EffectType", "custom_op", "device_types_t"], "operators"),
    **dict.fromkeys(
        [
            "NAMELESS_SCHEMA",
            "define",
            "impl",
            "impl_abstract",
            "register_autocast",
            "register_autograd",
            "register_fake",
            "register_kernel",
            "register_torch_dispatch",
            "register_vmap",
        ],
        "registering",
    ),
    **dict.fromkeys(["triton_op", "wrap_triton"], "unsupported"),
    "get_ctx": "fakes",
    "get_kernel": "kept_kernels",
    "infer_schema": "schema_inference",
    "opcheck": "checks",
    "OpCheckError": "checks",
}


def __getattr__(name):
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'opweave.library' has no attribute '{name}'")
    home = importlib.import_module(f"opweave._custom_ops.{_ELSEWHERE[name]}")
    value = globals()[name] = getattr(home, name)
    return value


def __dir__():
    return sorted({*globals(), *_ELSEWHERE})
