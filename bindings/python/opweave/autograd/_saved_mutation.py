"""Tensors that are saved for backward and then written in place: they are copied before.

What a function writes to is told by its name, as PyTorch's: `add_`, `__iadd__`, `__setitem__`, and `out`.
"""

import contextlib
import weakref

from opweave import _C
from opweave._every_example import every_example
from opweave._grad_mode import no_grad
from opweave._modes import TorchFunctionMode

_running = []


class _Handle:
    """In the place of a tensor that an operator has saved."""


class Context:
    """What has been saved within a block, by the storages that it lies in."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forgets what was saved: backward passes through it raise."""
        self._saved = weakref.WeakKeyDictionary()  # by handle
        self._of_storage = {}

    def pack(self, tensor):
        """The handle of a tensor that is saved."""
        handle = _Handle()
        self._saved[handle] = tensor, False
        self._of_storage.setdefault(_storage(tensor), weakref.WeakSet()).add(handle)
        return handle

    def unpack(self, handle):
        """The tensor as it was saved."""
        if self not in _running or handle not in self._saved:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the "
                "graph was originally recorded."
            )
        return self._saved[handle][0]

    def before_writing(self, tensor):
        """Copies what was saved of the storage of a tensor that is to be written."""
        for handle in self._of_storage.pop(_storage(tensor), ()):
            saved, is_copy = self._saved[handle]
            if not is_copy:
                with no_grad():
                    self._saved[handle] = saved.detach().clone(), True


def _storage(tensor):
    return every_example(tensor).untyped_storage()._cdata


def _written(function, args, kwargs):
    """The tensors that a call writes."""
    name = getattr(function, "__name__", "")
    out = kwargs.get("out")
    written = list(out) if isinstance(out, (tuple, list)) else [out]
    in_place = name.endswith("_") and not name.endswith("__")
    if in_place or name == "__setitem__" or (name.startswith("__i") and name.endswith("__")):
        written += args[:1]
    return [t for t in written if isinstance(t, _C.Tensor)]


class _CopiesFirst(TorchFunctionMode):
    def __init__(self, context):
        super().__init__()
        self._context = context

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        for tensor in _written(func, args, kwargs):
            self._context.before_writing(tensor)
        return func(*args, **kwargs)


@contextlib.contextmanager
def allow_mutation_on_saved_tensors(hooks):
    """See opweave.autograd.graph.allow_mutation_on_saved_tensors.

    Args:
        hooks: saved_tensors_hooks, of the module that calls this.
    """
    if _running:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = Context()
    _running.append(context)
    try:
        with hooks(context.pack, context.unpack), _CopiesFirst(context):
            yield context
    finally:
        _running.remove(context)
        context.clear()
