"""How memory is shared: two names of PyTorch's, which differ here in how many files may be open."""

import resource

_DESCRIPTORS, _FILES = "file_descriptor", "file_system"
_strategy = {"name": _DESCRIPTORS}


def get_all_sharing_strategies():
    """The names that set_sharing_strategy() takes."""
    return {_DESCRIPTORS, _FILES}


def get_sharing_strategy():
    """The one in force."""
    return _strategy["name"]


def set_sharing_strategy(new_strategy):
    """Shared memory is always in files without a name, which end with the last process that has them open.

    "file_system", which PyTorch's programs ask for when they run out of descriptors, raises the limit of open
    files of this process, and of those that it starts from here on, to what the system allows.

    Raises:
        AssertionError: another name.
    """
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(
            f"set_sharing_strategy: expected one of {sorted(get_all_sharing_strategies())}, but got "
            f"{new_strategy!r}"
        )
    if new_strategy == _FILES:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    _strategy["name"] = new_strategy
