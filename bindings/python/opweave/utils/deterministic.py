"""opweave.utils.deterministic: what is done with what a program has not set.

`fill_uninitialized_memory`: whether use_deterministic_algorithms(True) also fills the elements of empty() and
its kin, and those that resize_() adds, with NaN, the largest integer or True; it is so at first.
"""

import sys
import types

from opweave import _top

fill_uninitialized_memory: bool


class _Deterministic(types.ModuleType):
    @property
    def fill_uninitialized_memory(self):
        return _top._determinism["fills"]

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        _top._determine(fills=mode)


sys.modules[__name__].__class__ = _Deterministic
