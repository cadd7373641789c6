"""Hooks: the handle that takes one out again, and the checks around what the engine calls."""

import itertools
import weakref

_ids = itertools.count()


class RemovableHandle:
    """What registering a hook on a tensor, a node, a module or an optimizer returns: `remove()` takes it out
    again, and so does the end of a `with` block."""

    def __init__(self, hooks_dict: object, *, extra_dict: object = None) -> None:
        """Of a hook that is kept in dictionaries under the handle's id."""
        extra = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self.id = next(_ids)
        self._keep(registry for registry in (hooks_dict, *extra) if registry is not None)

    def _keep(self, registries):
        self._registries = [weakref.ref(registry) for registry in registries]

    def _forget(self):
        for reference in self._registries:
            registry = reference()
            if registry is not None:
                registry.pop(self.id, None)

    def __getstate__(self):
        """With the dictionaries, so that a copy of a module's handle is that of the copy's hook; in the order
        that PyTorch's files have."""
        first, *extra = [reference() for reference in self._registries] or [None]
        return first, self.id, tuple(extra)

    def __setstate__(self, state):
        first, self.id, *rest = state  # files of before there were more have one dictionary
        registries = [first, *((rest[0] or ()) if rest else ())]
        self._keep(registry for registry in registries if registry is not None)
        _use_up(self.id)

    @classmethod
    def register(cls, hooks, hook, prepend=False, extra=()):
        """Keeps `hook` in `hooks`, and notes in each of `extra` that it is there."""
        handle = cls(hooks, extra_dict=extra)
        hooks[handle.id] = hook
        for registry in extra:
            registry[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def remove(self) -> None:
        self._forget()

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


# Files name it where programs import it from, as in PyTorch.
RemovableHandle.__module__ = "opweave.utils.hooks"


def _use_up(number):
    """No handle that is made later has this number."""
    global _ids
    _ids = itertools.count(max(next(_ids), number + 1))


def removable_handle(hook):
    """The handle of a hook that the engine keeps; called by the extension."""
    handle = RemovableHandle.__new__(RemovableHandle)
    handle.id = hook.id
    handle._forget = hook.remove
    return handle


def register_tensor_hook(tensor, hook):
    """Tensor.register_hook."""
    if not callable(hook):
        raise TypeError(f"hook has to be callable, got {type(hook).__name__}")
    return tensor._register_hook(hook)


def register_post_accumulate_hook(tensor, hook):
    """Tensor.register_post_accumulate_grad_hook."""
    if not callable(hook):
        raise TypeError(f"hook has to be callable, got {type(hook).__name__}")
    return tensor._register_post_accumulate_grad_hook(hook)
