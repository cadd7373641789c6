"""What programs do with the state of modules."""


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
