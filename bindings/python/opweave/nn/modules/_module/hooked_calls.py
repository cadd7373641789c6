"""Calls of modules that have hooks: those of all modules first, then the module's own."""

from __future__ import annotations

import warnings
from typing import Any

from opweave._C import Tensor
from opweave.nn.modules._module import global_hooks as everywhere
from opweave.nn.modules._module.backward_hooks import BackwardWatch, watch_node


def call(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """module.forward(*args, **kwargs), with all hooks."""
    running = _Call(module, args, kwargs)
    try:
        return running.run()
    except Exception:
        running.after_failure()
        raise


class _Call:
    """One call: its arguments, its result, and which hooks have seen it."""

    def __init__(self, module, args, kwargs):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.output = None
        self.called = set()

    def run(self):
        """The result."""
        self._run_pre_hooks()
        watch = self._watch()
        if watch:
            self.args = watch.inputs(self.args)
        self.output = self.module.forward(*self.args, **self.kwargs)
        for key, hook, where in self._hooks():
            self.called.add(key)
            self._run_hook(key, hook, where)
        if watch:
            self._check_output()
            self.output = watch.outputs(self.output)
        self._watch_old_way()
        return self.output

    # --- before ---------------------------------------------------------------------------------
    def _run_pre_hooks(self):
        for hook in tuple(everywhere._global_forward_pre_hooks.values()):
            self._take_args(hook(self.module, self.args))
        for key, hook in tuple(self.module._forward_pre_hooks.items()):
            if key in self.module._forward_pre_hooks_with_kwargs:
                self._take_both(hook(self.module, self.args, self.kwargs))
            else:
                self._take_args(hook(self.module, self.args))

    def _take_args(self, result):
        if result is not None:
            self.args = result if isinstance(result, tuple) else (result,)

    def _take_both(self, result):
        if result is None:
            return
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}."
            )
        self.args, self.kwargs = result

    # --- after ----------------------------------------------------------------------------------
    def _hooks(self):
        """(key, hook, where it is registered) of all forward hooks, in their order."""
        own = self.module
        for key, hook in tuple(everywhere._global_forward_hooks.items()):
            yield key, hook, _EVERYWHERE
        where = own._forward_hooks_with_kwargs, own._forward_hooks_always_called, "module"
        for key, hook in tuple(own._forward_hooks.items()):
            yield key, hook, where

    def _run_hook(self, key, hook, where):
        with_kwargs, _, _ = where
        before = (self.module, self.args, self.kwargs) if key in with_kwargs else None
        result = hook(*(before or (self.module, self.args)), self.output)
        if result is not None:
            self.output = result

    def after_failure(self):
        """Runs the hooks that are always called and were not; their own errors are told as warnings."""
        for key, hook, where in self._hooks():
            _, always_called, kind = where
            if key not in always_called or key in self.called:
                continue
            try:
                self._run_hook(key, hook, where)
            except Exception as error:
                warnings.warn(
                    f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced "
                    f"as another error was raised in forward: {error}",
                    stacklevel=4,
                )

    # --- backward -------------------------------------------------------------------------------
    def _watch(self):
        own = self.module._backward_hooks.values() if self.module._is_full_backward_hook else ()
        hooks = (*everywhere.backward_hooks(full=True), *own)
        pre_hooks = (
            *everywhere._global_backward_pre_hooks.values(),
            *self.module._backward_pre_hooks.values(),
        )
        return BackwardWatch(self.module, hooks, pre_hooks) if hooks or pre_hooks else None

    def _check_output(self):
        if not isinstance(self.output, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                f"but received {type(self.output)}",
                stacklevel=5,
            )

    def _watch_old_way(self):
        old = self.module._is_full_backward_hook is False
        own = self.module._backward_hooks.values() if old else ()
        hooks = (*everywhere.backward_hooks(full=False), *own)
        if hooks:
            watch_node(self.module, hooks, self.args, self.output)


_EVERYWHERE = (
    everywhere._global_forward_hooks_with_kwargs,
    everywhere._global_forward_hooks_always_called,
    "global module",
)
