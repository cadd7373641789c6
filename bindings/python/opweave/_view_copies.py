"""Views that are copied: NAME_copy of each view NAME that has a gradient of its own."""

import functools

from opweave import _C, ops
from opweave._arguments import expect_tensor
from opweave._overridable import overridable
from opweave._results import into

_SUFFIX = "_copy"


def _is_copied(name):
    """Whether NAME_copy is a function: NAME is a view, and not one that is written by other views."""
    overloads = _C._overload_names(name)
    if not overloads:
        return False
    first = _C._find_operator(f"{name}.{overloads[0]}" if overloads[0] else name)
    is_view = all(r["alias"] and not r["written"] for r in first.returns)
    return bool(first.returns) and is_view and first.has_kernel("Autograd")


def view_of(name):
    """The view of which a function is the copy; None for other names."""
    view = name.removesuffix(_SUFFIX)
    return view if view != name and _is_copied(view) else None


def names():
    """All of them."""
    return [f"{n}{_SUFFIX}" for n in dir(ops) if _is_copied(n)]


def _contiguous(tensor):
    return tensor.clone(memory_format=_C.contiguous_format)


def _reshaped(input, *args, **kwargs):
    """view(), and where the memory has no such view its elements all the same: they are copied anyway."""
    sizes = args or (kwargs.get("size"),)
    if sizes[0] is None or isinstance(sizes[0], _C.dtype):
        return ops.view(input, *args, **kwargs)
    return input.reshape(*sizes)


def _viewed(name):
    """What a copy is made of; that of detach_copy() keeps its history."""
    return _reshaped if name == "view" else getattr(ops, "alias" if name == "detach" else name)


def _of_the_copy(name, message, arguments):
    """What the view was told, for who called its copy."""
    first, *rest = message.splitlines()
    if first.startswith("no overload of"):
        got = ", ".join(type(a).__name__ for a in arguments)
        first = f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:"
    return "\n".join([first, *rest]).replace(f"{name}()", f"{name}{_SUFFIX}()")


@functools.cache
def copy_of(name):
    """The function NAME_copy."""

    def copied(input, *args, out=None, **kwargs):
        expect_tensor(copied.__name__, "input", input)
        try:
            found = _viewed(name)(input, *args, **kwargs)
        except TypeError as error:
            raise TypeError(_of_the_copy(name, str(error), (input, *args))) from None
        if isinstance(found, _C.Tensor):
            return _contiguous(found) if out is None else into(copied.__name__, out, found)
        if out is None:
            return tuple(map(_contiguous, found))
        if len(out) != len(found):
            raise RuntimeError(
                f"{name}{_SUFFIX}() expected an out= argument of size {len(found)}, got size {len(out)}"
            )
        for o, f in zip(out, found, strict=True):
            into(copied.__name__, o, f)
        return None

    copied.__name__ = copied.__qualname__ = f"{name}{_SUFFIX}"
    copied.__module__ = "opweave"
    copied.__doc__ = f"What {name}() looks at, copied; its arguments."
    return overridable(copied)
