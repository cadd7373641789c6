"""Hooks on several tensors: called once in a backward pass, with all of their gradients or with the first."""

import functools

from opweave import _C
from opweave._hooks import RemovableHandle


class _Handle(RemovableHandle):
    """Takes the hooks of all tensors out."""

    def __init__(self, handles):
        self.handles = tuple(handles)
        super().__init__(None)

    def remove(self):
        for handle in self.handles:
            handle.remove()


class _Pass:
    """The gradients of one backward pass, and what is called with them.

    Nodes of several devices run in threads of their own; setdefault() lets one of them be the first.
    """

    def __init__(self, fn, count):
        self._fn, self._count = fn, count
        self._begin()

    def _begin(self):
        self._found, self._claims = {}, {}

    def take(self, i, grad):
        """Notes the gradient of a tensor; the last one of all has the function called."""
        if i in self._found:  # of a pass that failed
            self._begin()
        self._found[i] = grad
        if self._claims.setdefault("first", i) == i:
            _C._queue_backward_callback(self._at_the_end)
        if len(self._found) == self._count and self._claims.setdefault("last", i) == i:
            self._call()

    def _at_the_end(self):
        # Some of the tensors had no part in it.
        if self._found:
            self._call()

    def _call(self):
        found = self._found
        self._begin()
        self._fn([found.get(i) for i in range(self._count)])


class _First:
    """Calls a function with the first gradient of each backward pass."""

    def __init__(self, fn):
        self._fn = fn
        self._claims = {}

    def take(self, i, grad):
        """Calls the function if this gradient is the first."""
        if self._claims.setdefault("first", i) == i:
            _C._queue_backward_callback(self._claims.clear)
            self._fn(grad)


def register(tensors, fn, mode):
    """See opweave.autograd.graph.register_multi_grad_hook."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = list(tensors)
    taken = _Pass(fn, len(tensors)) if mode == "all" else _First(fn)
    hooks = (functools.partial(taken.take, i) for i in range(len(tensors)))
    watched = (
        (t, h) for t, h in zip(tensors, hooks, strict=True) if mode == "all" or t.requires_grad
    )
    return _Handle([t.register_hook(h) for t, h in watched])
