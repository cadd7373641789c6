"""The classes of results with names, as `opweave.max(x, 0)` gives one."""

from opweave import _C, linalg

# How those that a program has not seen yet are made to come: by calls that most operators take.
_CALLS = ((), (0,), (1,))


def _class(name):
    """The class of a function's results; None where they have no names."""
    function = getattr(_C, name, None) or getattr(linalg, name.removeprefix("linalg_"), None)
    if not callable(function):
        return None
    for arguments in _CALLS:
        try:
            made = type(function(_C.ones(1, 1), *arguments))
        except Exception:
            continue
        if made.__module__ == __name__ and made.__name__ == name:
            return made
    return None


# Functions whose results have names, and that have none of their own here.
_NAMES = (
    *("aminmax", "cummax", "cummin", "frexp", "histogram", "kthvalue", "linalg_svd", "max"),
    *("median", "min", "mode", "nanmedian", "sort", "svd", "topk"),
)


def _all():
    return [found for name in _NAMES if (found := _class(name)) is not None]


def __getattr__(name):
    if name == "all_return_types":
        found = _all()
    else:
        # What a call with `out` returns is of the same class.
        found = None if name.startswith("_") else _class(name.removesuffix("_out"))
    if found is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = found
    return found
