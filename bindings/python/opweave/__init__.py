"""Opweave: tensors, operators and automatic differentiation, with PyTorch's names.

The operators and the Tensor class come from the extension _C; submodules other than these are
imported when they are first used.
"""

import importlib as _importlib

from opweave import _C
from opweave import _tensor
from opweave._tensor import Tensor

for _name, _value in vars(_C).items():
    if not _name.startswith("_"):
        globals().setdefault(_name, _value)
del _name, _value

from opweave._grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from opweave._random import (  # noqa: E402
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__version__ = _C.__version__

# Names of submodules, and of what they define that PyTorch has in its top module.
_SUBMODULES = {
    "autograd", "cuda", "fft", "library", "linalg", "nn", "ops", "optim", "return_types", "special",
    "testing", "utils",
}
_ELSEWHERE = {
    "set_printoptions": "_tensor_str",
    "from_dlpack": "utils.dlpack",
    "typename": "_top",
}


def __getattr__(name):
    if name in _SUBMODULES or _C._has_device_type(name):
        module = _importlib.import_module(f"opweave.{name}")
        return module
    if name in _ELSEWHERE:
        value = getattr(_importlib.import_module(f"opweave.{_ELSEWHERE[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'opweave' has no attribute '{name}'")
