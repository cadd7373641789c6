"""What programs do with the state of modules, and with numbers that stand for one of each dimension."""

import itertools
from collections.abc import Iterable, Mapping


def _ntuple(n, name="parse"):
    """The function that gives a tuple of n equal values for one, and of an iterable its values."""

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(itertools.repeat(x, n))

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """Each value n times, the last one first: paddings as `functional.pad` takes them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """The sizes asked for, with those of the input where None stands."""
    if not isinstance(out_size, Iterable):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [v if v is not None else d for v, d in zip(out_size, defaults[-len(out_size) :])]


def _addindent(s_, numSpaces):  # noqa: N803 - PyTorch's name
    """Text with all lines but the first moved to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Takes a prefix off the names in a state dict, in place: "module." for DistributedDataParallel's."""
    for name in list(state_dict):
        if name.startswith(prefix):
            state_dict[name[len(prefix) :]] = state_dict.pop(name)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for name in list(metadata):
        if name and (name == prefix.rstrip(".") or name.startswith(prefix)):
            metadata[name[len(prefix) :]] = metadata.pop(name)


def checked_pairs(items, name):
    """The pairs of what `update` of a dictionary of this name is given."""
    if isinstance(items, Mapping) or hasattr(items, "items"):
        return list(items.items())
    if not isinstance(items, Iterable):
        raise TypeError(
            f"{name}.update should be called with an iterable of key/value pairs, but got "
            f"{type(items).__name__}"
        )
    items = list(items)
    for i, pair in enumerate(items):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{name} update sequence element #{i} should be Iterable; is {type(pair).__name__}"
            )
        if len(pair) != 2:
            raise ValueError(
                f"{name} update sequence element #{i} has length {len(pair)}; 2 is required"
            )
    return items
