"""Automatic differentiation, after torch.autograd."""

import importlib

from opweave import accelerator
from opweave._grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)
from opweave.autograd._passes import backward, grad
from opweave.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from opweave.autograd.function import Function
from opweave.autograd.variable import Variable


class set_multithreading_enabled:  # noqa: N801 - PyTorch's name
    """Whether backward passes may use a thread for each of several devices; also within `with`. On the host
    alone they run on the thread that begins them in any case.

    Raises:
        NotImplementedError: False where there is an accelerator, whose nodes run in a thread of their own.
    """

    _enabled = True

    def __init__(self, mode):
        if not mode and accelerator.is_available():
            raise NotImplementedError(
                "set_multithreading_enabled(False): nodes of devices run in threads of their own"
            )
        self._before, self.mode = set_multithreading_enabled._enabled, mode
        set_multithreading_enabled._enabled = bool(mode)

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        set_multithreading_enabled._enabled = self._before

    def clone(self):
        """The same setting."""
        return type(self)(self.mode)


def __getattr__(name):
    if name in ("functional", "graph", "forward_ad", "profiler", "variable"):
        return importlib.import_module(f"opweave.autograd.{name}")
    if name in ("gradcheck", "gradgradcheck", "GradcheckError"):
        module = importlib.import_module("opweave.autograd.gradcheck")
        # The import bound the submodule to its own name; the function of that name is what is meant.
        globals()["gradcheck"] = module.gradcheck
        return getattr(module, name)
    raise AttributeError(f"module 'opweave.autograd' has no attribute '{name}'")
