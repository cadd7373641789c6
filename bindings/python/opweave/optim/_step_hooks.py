"""Hooks of optimizers: around their steps, and around what is saved and loaded of them."""

from collections import OrderedDict

from opweave._hooks import RemovableHandle

# What every optimizer runs around its steps, before and after its own hooks.
STEPS_BEGIN, STEPS_END = OrderedDict(), OrderedDict()


# An optimizer's dictionaries of hooks; none is copied or pickled with it.
HOOKS = (
    *("_step_pre_hooks", "_step_post_hooks"),
    *("_state_dict_pre_hooks", "_state_dict_post_hooks"),
    *("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"),
)


class HookedSteps:
    """Hooks of one optimizer, and what runs them and those of all around a step."""

    def _make_hooks(self):
        for name in HOOKS:
            setattr(self, name, OrderedDict())

    def _before_step(self, closure):
        """Runs hooks: the arguments of a step, which they may change."""
        args, kwargs = (self,) if closure is None else (self, closure), {}
        for hook in (*STEPS_BEGIN.values(), *self._step_pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"{type(self).__name__}.step: a pre-hook must return None or a tuple of "
                    f"(new_args, new_kwargs), but got {changed}."
                )
            args, kwargs = changed
        return args, kwargs

    def _after_step(self, args, kwargs):
        for hook in (*self._step_post_hooks.values(), *STEPS_END.values()):
            hook(self, args, kwargs)

    def register_step_pre_hook(self, hook):
        """Has `hook(optimizer, args, kwargs)` run before each step; it may return both anew. Its handle."""
        return RemovableHandle.register(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Has `hook(optimizer, args, kwargs)` run after each step. Its handle."""
        return RemovableHandle.register(self._step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Has `hook(optimizer)` run before `state_dict()`, before all others if `prepend`. Its handle."""
        return RemovableHandle.register(self._state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Has `hook(optimizer, state_dict)` run after `state_dict()`; it may return another. Its handle."""
        return RemovableHandle.register(self._state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Has `hook(optimizer, state_dict)` run before loading; it may return another to load. Its handle."""
        return RemovableHandle.register(self._load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Has `hook(optimizer)` run after loading. Its handle."""
        return RemovableHandle.register(self._load_state_dict_post_hooks, hook, prepend)
