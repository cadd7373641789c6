"""What programs do with the state of modules."""

from collections.abc import Iterable, Mapping


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
