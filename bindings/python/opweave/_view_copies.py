"""Views that are copied: NAME_copy of each view NAME that has a gradient of its own; parts and places."""

import functools

import opweave
from opweave import _C
from opweave._arguments import expect_int, expect_ints, expect_tensor
from opweave._layouts import is_expanded
from opweave._overridable import overridable
from opweave._results import into, with_out

__all__ = [
    *("as_strided_scatter", "narrow_copy", "nonzero_static", "slice_inverse"),
    *("unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"),
]
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
    return [f"{n}{_SUFFIX}" for n in dir(opweave.ops) if _is_copied(n)]


def _contiguous(tensor):
    return tensor.clone(memory_format=opweave.contiguous_format)


def _reshaped(input, *args, **kwargs):
    """view(), and where the memory has no such view its elements all the same: they are copied anyway."""
    sizes = args or (kwargs.get("size"),)
    if sizes[0] is None or isinstance(sizes[0], opweave.dtype):
        return opweave.ops.view(input, *args, **kwargs)
    return input.reshape(*sizes)


def _viewed(name):
    """What a copy is made of; that of detach_copy() keeps its history."""
    return (
        _reshaped if name == "view" else getattr(opweave.ops, "alias" if name == "detach" else name)
    )


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
        if isinstance(found, opweave.Tensor):
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


@overridable
@with_out
def narrow_copy(input, dim, start, length, *, out=None):
    """What narrow() looks at, copied."""
    expect_tensor("narrow_copy", "input", input)
    return _contiguous(input.narrow(dim, start, length))


# --- parts that may be written to -------------------------------------------------------------------------
@overridable
def unsafe_chunk(input, chunks, dim=0):
    """chunk(), whose results autograd does not take for views of one tensor: each may be written in place."""
    expect_tensor("unsafe_chunk", "input", input)
    return _apart(input.chunk(chunks, dim))


@overridable
def unsafe_split(input, split_size, dim=0):
    """split() into parts of one size, as unsafe_chunk()."""
    expect_tensor("unsafe_split", "input", input)
    return _apart(input.split(split_size, dim))


@overridable
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """split() into parts of some sizes, as unsafe_chunk()."""
    expect_tensor("unsafe_split_with_sizes", "input", input)
    return _apart(input.split_with_sizes(split_sizes, dim))


def _apart(parts):
    return tuple(part.clone() for part in parts)


# --- written through views --------------------------------------------------------------------------------
@overridable
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of the input with `src` where as_strided() looks at: at places of its memory.

    Raises:
        RuntimeError: `src` is of another size.
    """
    expect_tensor("as_strided_scatter", "input", input)
    expect_tensor("as_strided_scatter", "src", src)
    expect_ints("as_strided_scatter", "size", size)
    expect_ints("as_strided_scatter", "stride", stride)
    offset = input.storage_offset() if storage_offset is None else storage_offset
    found, memory = _copied_with_memory(input)
    view = memory.as_strided(size, stride, offset)
    if view.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice "
            f"size = {list(view.shape)}"
        )
    view.copy_(src)
    return found


def _storage_length(input):
    return input.untyped_storage().nbytes() // input.element_size()


def _copied_with_memory(input):
    """A copy that lies as the input, and a tensor over all of its memory: itself where it fills that,
    and where the input was expanded."""
    if is_expanded(input):
        found = input.clone(memory_format=opweave.contiguous_format)
        return found, found
    is_whole = input.is_contiguous() and _storage_length(input) == input.numel()
    if is_whole or _C._vmap_depth() > 0:
        found = input.clone()
        return found, found
    memory = input.new_zeros(_storage_length(input))
    found = memory.as_strided(input.shape, input.stride(), input.storage_offset())
    return found.copy_(input), memory


@overridable
def slice_inverse(input, src, dim=0, start=None, end=None, step=1):
    """The elements of the input as `src` lies in its memory: what the slice `src` of it looks at."""
    expect_tensor("slice_inverse", "input", input)
    expect_tensor("slice_inverse", "src", src)
    return input.as_strided(src.shape, src.stride(), src.storage_offset())


@overridable
@with_out
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """The places of elements that are not zero, as `size` rows: the first, or `fill_value` behind.

    Raises:
        RuntimeError: a negative size.
    """
    expect_tensor("nonzero_static", "input", input)
    expect_int("nonzero_static", "size", size)
    expect_int("nonzero_static", "fill_value", fill_value)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = input.nonzero()[:size]
    rest = found.new_full((size - found.size(0), found.size(1)), fill_value)
    return opweave.cat([found, rest])
