"""Hooks of state_dict() and load_state_dict(), kept so that copies of PyTorch's functions can call them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from opweave._hooks import RemovableHandle

_Hook = Callable[..., Any]


class _WrappedHook:
    """A hook that is called without its module, and gets it if it wants it.

    Classes of programs that load themselves call all hooks of a module alike. A copy of the module has a hook
    of its own; it and files hold the module, the hook only refers to it.
    """

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self._of(module)

    def _of(self, module):
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("a hook of load_state_dict is called whose module is gone")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        module = self.module() if self.with_module else None
        return {"hook": self.hook, "with_module": self.with_module, "module": module}

    def __setstate__(self, state):
        self.hook = state["hook"]
        if state["with_module"] and state["module"] is None:
            raise RuntimeError(
                "a hook of load_state_dict was saved or copied after its module was gone"
            )
        self._of(state["module"] if state["with_module"] else None)


# Files name it where PyTorch has it.
_WrappedHook.__module__ = "opweave.nn.modules.module"


class _WithoutResult:
    """A hook of register_state_dict_post_hook(), which changes the dictionary and returns nothing."""

    def __init__(self, hook):
        self.hook = hook

    def __call__(self, module, *arguments):
        made = self.hook(module, *arguments)
        if made is not None:
            raise RuntimeError(
                "state_dict post-hook must return None, but "
                f"one of {type(module).__name__} returned {type(made).__name__}"
            )


class StateHooksMixin:
    """The part of Module that registers what is called around saving and loading its state."""

    def register_state_dict_pre_hook(self, hook: _Hook) -> RemovableHandle:
        """Has `hook(module, prefix, keep_vars)` called before `state_dict` reads the module."""
        return RemovableHandle.register(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: _Hook) -> RemovableHandle:
        """Has `hook(module, state_dict, prefix, local_metadata)` called, which may change the dictionary."""
        return RemovableHandle.register(self._state_dict_hooks, _WithoutResult(hook))

    def register_load_state_dict_pre_hook(self, hook: _Hook) -> RemovableHandle:
        """Has `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)` called before the module is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: _Hook) -> RemovableHandle:
        """Has `hook(module, incompatible_keys)` called after the module and those below it are loaded."""
        return RemovableHandle.register(self._load_state_dict_post_hooks, hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """A hook by its name in older programs: without `with_module` it does not get the module."""
        kept = _WrappedHook(hook, self if with_module else None)
        return RemovableHandle.register(self._load_state_dict_pre_hooks, kept)

    def _register_state_dict_hook(self, hook):
        """A hook by its name in older programs: what it returns takes the place of the dictionary."""
        return RemovableHandle.register(self._state_dict_hooks, hook)
