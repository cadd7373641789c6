"""Context managers that are decorators as well, from which libraries derive their own."""

import functools

from opweave._grad_mode import _Mode


class _DecoratorContextManager(_Mode):
    """A `with` block, or a decorator whose function runs inside of such a block; a generator within it
    whenever it runs. Subclasses have `__enter__` and `__exit__`, and `clone` where they take arguments."""

    def __enter__(self):
        raise NotImplementedError(f"{type(self).__name__}.__enter__()")

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError(f"{type(self).__name__}.__exit__()")


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One without arguments, which is a decorator without parentheses, too."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)


def context_decorator(ctx, func):
    """A function that calls another one within a context manager.

    Args:
        ctx: a context manager, or a function that gives a new one for each call.
    """

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with ctx if hasattr(type(ctx), "__enter__") else ctx():
            return func(*args, **kwargs)

    return wrapped
