"""Where in a tree of modules a program is."""

from __future__ import annotations

import warnings
import weakref
from typing import Self

from opweave import _C
from opweave.autograd.graph import register_multi_grad_hook
from opweave.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from opweave.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Within `with`, `parents` names the modules whose forward or backward runs, and "Global"."""

    def __init__(self) -> None:
        self.parents = {"Global"}
        self.is_bw = False
        self._known = weakref.WeakKeyDictionary()
        self._seen = weakref.WeakSet()
        self._ends = False  # whether the end of a backward pass is waited for

    def __enter__(self) -> Self:
        """The tracker."""
        self._handles = [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, always_call=True),
        ]
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()

    def _name(self, module):
        if module not in self._known:
            self._known[module] = type(module).__name__
        name = self._known[module]
        if module not in self._seen:
            for child_name, child in module.named_children():
                self._known[child] = f"{name}.{child_name}"
            self._seen.add(module)
        return name

    def _before(self, module, args):
        name = self._name(module)
        self._push(name, False)
        self._watch(args, lambda _: self._pop(name, True))

    def _after(self, module, args, output):
        name = self._name(module)
        self._pop(name, False)
        self._watch(output, lambda _: self._push(name, True))

    def _watch(self, values, hook):
        tensors = [t for t in tree_leaves(values) if getattr(t, "requires_grad", False)]
        if tensors:
            register_multi_grad_hook(tensors, hook, mode="any")

    def _push(self, name, backward):
        if backward:
            self.is_bw = True
            self._wait_for_end()
        if name in self.parents and not backward:
            warnings.warn(
                "The module hierarchy tracking seems to be broken as this Module was already entered. "
                f"{name} during {'backward' if backward else 'forward'}",
                stacklevel=2,
            )
        self.parents.add(name)

    def _wait_for_end(self):
        """Modules whose inputs need no gradient have nothing that says when their backward is done: the
        pass's end does."""
        if not self._ends:
            self._ends = True
            _C._queue_backward_callback(self._end)

    def _end(self):
        self.parents = {"Global"}
        self._ends = self.is_bw = False

    def _pop(self, name, backward):
        self.parents.discard(name)
        if backward and self.parents == {"Global"}:
            self.is_bw = False
