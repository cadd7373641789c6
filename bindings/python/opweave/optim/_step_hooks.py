"""Hooks of optimizers: around their steps, and around what is saved and loaded of them."""

import functools
from collections import OrderedDict
from itertools import chain

from opweave._hooks import RemovableHandle

# What every optimizer runs around its steps, before and after its own hooks. PyTorch's names, as of the
# dictionaries below: optimizers of others run them by these.
_global_optimizer_pre_hooks, _global_optimizer_post_hooks = OrderedDict(), OrderedDict()


# An optimizer's dictionaries of hooks; none is copied or pickled with it.
HOOKS = (
    *("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks"),
    *("_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks"),
    *("_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks"),
)


class HookedSteps:
    """Hooks of one optimizer, and what runs them and those of all around a step."""

    def _make_hooks(self):
        """Dictionaries of hooks where there are none, and a `step` that runs them."""
        for name in HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()

    def _patch_step_function(self):
        """Has hooks run around the class's `step`, whoever has written it; once for each function."""
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    @staticmethod
    def profile_hook_step(func):
        """`func`, a `step`, with hooks before and after it, and named to the profiler."""
        from opweave.profiler._ranges import record_function

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            self = args[0]
            with record_function(f"Optimizer.step#{type(self).__name__}.step"):
                args, kwargs = _before_step(self, args, kwargs)
                try:
                    result = func(*args, **kwargs)
                except KeyError as error:
                    self._refuse_lacking(error)
                    raise
                self._optimizer_step_code()
                hooks = chain(
                    self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()
                )
                for hook in hooks:
                    hook(self, args, kwargs)
                return result

        return wrapper

    def _optimizer_step_code(self):
        """Called after each step, for who traces Python's calls; nothing happens here."""

    def register_step_pre_hook(self, hook):
        """Has `hook(optimizer, args, kwargs)` run before each step; it may return both anew. Its handle."""
        return RemovableHandle.register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Has `hook(optimizer, args, kwargs)` run after each step. Its handle."""
        return RemovableHandle.register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Has `hook(optimizer)` run before `state_dict()`, before all others if `prepend`. Its handle."""
        return RemovableHandle.register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Has `hook(optimizer, state_dict)` run after `state_dict()`; it may return another. Its handle."""
        return RemovableHandle.register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Has `hook(optimizer, state_dict)` run before loading; it may return another to load. Its handle."""
        return RemovableHandle.register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Has `hook(optimizer)` run after loading. Its handle."""
        return RemovableHandle.register(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _before_step(optimizer, args, kwargs):
    """Runs hooks: the arguments of a step, which they may change."""
    for hook in chain(
        _global_optimizer_pre_hooks.values(), optimizer._optimizer_step_pre_hooks.values()
    ):
        changed = hook(optimizer, args, kwargs)
        if changed is None:
            continue
        if not (isinstance(changed, tuple) and len(changed) == 2):
            raise RuntimeError(
                f"{type(optimizer).__name__}.step: a pre-hook must return None or a tuple of "
                f"(new_args, new_kwargs), but got {changed}."
            )
        args, kwargs = changed
    return args, kwargs
