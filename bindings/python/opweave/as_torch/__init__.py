"""Programs written for PyTorch, run by Opweave: every `import torch` gets Opweave's modules.

`python -m opweave.as_torch SCRIPT [ARG...]` runs a program so; `install()` does it for the process that calls
it. Processes that such a process starts do the same.
"""

import sys

from opweave import _C
from opweave.as_torch import _children, _finder, _lacking
from opweave.random import set_engine
from opweave.torch_version import TorchVersion
from opweave._version import __version__

__all__ = ["install", "is_installed", "lacking"]


def is_installed():
    """Whether `import torch` gives Opweave in this process."""
    return sys.modules.get("torch") is sys.modules["opweave"]


def install():
    """From now on `import torch` and all imports below it give Opweave's modules, here and in the processes
    that this one starts; `opweave.__version__` becomes that of the PyTorch whose names they are,
    tensors print as PyTorch's, and random numbers are those of PyTorch's CPU for the same seed
    (`random.set_engine("philox")` afterwards gives Opweave's own again).

    Raises:
        RuntimeError: PyTorch itself was imported before.
    """
    if is_installed():
        return
    if "torch" in sys.modules:
        raise RuntimeError(
            "opweave.as_torch.install(): 'torch' is imported already, from "
            f"{getattr(sys.modules['torch'], '__file__', None)}; expected a call before the first import"
        )
    own = __version__
    sys.modules["opweave"].__version__ = TorchVersion(f"{_lacking.PYTORCH}+opweave{own}")
    _C._set_printed_package("torch")
    set_engine("mt19937")
    _finder.install()
    _lacking.mark_class(_C.Tensor, "torch.Tensor")
    _children.install()


def lacking():
    """What was asked for and is not there although PyTorch has it: for each name where it was asked first
    ("file:line") and how often."""
    return _lacking.found()
