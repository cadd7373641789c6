"""The order in which einsum() multiplies more than two tensors: from the left, without a search for
another."""

from opweave.backends._settings import Setting, make_module

_NONE = "there is no search for an order; products are taken from the left"
_settings = {
    "enabled": Setting(False, {True: _NONE}),
    "strategy": Setting(
        None, dict.fromkeys(("auto", "greedy", "optimal"), _NONE), (str, type(None))
    ),
}


def is_available():
    """Whether there is a search for the order: no."""
    return False


def get_opt_einsum():
    """The package that searches: None."""
    return None


make_module(__name__)
