"""What programs say about compilation, after torch.compiler: nothing is compiled, so that all of it holds."""

import contextlib

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
    "substitute_in_graph",
]


def is_compiling():
    """False: no program is compiled."""
    return False


def is_dynamo_compiling():
    """False: no program is compiled."""
    return False


def is_exporting():
    """False: no program is exported."""
    return False


def reset():
    """Forgets what was compiled: nothing was."""


def cudagraph_mark_step_begin():
    """Says that a step of training begins: no graph of calls is replayed."""


def list_backends(exclude_tags=("debug", "experimental")):
    """The compilers that can be asked for: none."""
    return []


def disable(fn=None, recursive=True, *, reason=None):
    """Decorator: what is never to be compiled; gives the function back."""
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn):
    """What is to be compiled without a look inside; gives the function, or the list of them, back.

    Raises:
        AssertionError: not a function.
    """
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(f) for f in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn):
    """Decorator: a function that always gives the same; gives it back."""
    return fn


def substitute_in_graph(original_fn, **options):
    """Decorator: what stands for a function where it is compiled; gives the function back."""
    return lambda traceable: traceable


class set_stance(contextlib.ContextDecorator):  # noqa: N801 - PyTorch's name
    """How calls of compiled functions are treated, as a statement, a context or a decorator: all are called
    as they are.

    Args:
        stance: "default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile" and
            others of PyTorch's.
    """

    def __init__(self, stance="default", **options):
        self.stance = stance

    def __enter__(self):
        """The same object."""
        return self

    def __exit__(self, *error):
        """Nothing was changed."""
