"""Removable hooks."""

import itertools
import weakref

_ids = itertools.count()


class RemovableHandle:
    """What registering a hook returns; `remove()` takes the hook out again."""

    def __init__(self, hooks, extra=()):
        self.id = next(_ids)
        self._registries = [weakref.ref(r) for r in (hooks, *extra)]

    @classmethod
    def register(cls, hooks, hook, prepend=False, extra=()):
        handle = cls(hooks, extra)
        hooks[handle.id] = hook
        for registry in extra:
            registry[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def remove(self):
        for reference in self._registries:
            registry = reference()
            if registry is not None:
                registry.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()
