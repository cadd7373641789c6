"""Runs at the start of processes that a program under opweave.as_torch starts: the first `import torch`
installs Opweave there. What does not import it does not pay for it."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))


class _First:
    """Waits for the first import of torch and gives way to opweave.as_torch."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.split(".")[0] != "torch":
            return None
        sys.meta_path.remove(cls)
        if importlib.util.find_spec("opweave") is None:
            sys.path.append(_ROOT)
        from opweave import as_torch

        as_torch.install()
        from opweave.as_torch import _reporting

        _reporting.continue_in_child()
        return importlib.util.find_spec(name)


def _run_the_other():
    """Runs the sitecustomize that this one hides, if there is one."""
    others = [p for p in sys.path if os.path.abspath(p) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.path[:] = [p for p in sys.path if os.path.abspath(p) != _HERE]
sys.meta_path.insert(0, _First)
_run_the_other()
