"""oneDNN, which computes products of matrices and convolutions on the host.

`enabled` cannot be False, as there is no other kernel of these; `deterministic` holds in any case;
`allow_tf32` is a permission that nothing makes use of.
"""

from opweave.backends import _precision
from opweave.backends._settings import Setting, make_module
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import set_flags as _set_flags

__all__ = [
    *("VERBOSE_OFF", "VERBOSE_ON", "VERBOSE_ON_CREATION", "conv", "flags", "is_acl_available"),
    *("is_available", "matmul", "rnn", "set_flags", "verbose"),
]

_settings = {
    "allow_tf32": Setting(None, kind=(bool, type(None))),
    "deterministic": Setting(False),
    "enabled": Setting(
        True,
        {False: "oneDNN computes products of matrices and convolutions, and nothing else does"},
    ),
    "fp32_precision": _precision.mkldnn,
}
matmul, conv, rnn = (
    _precision.of_operator(f"opweave.backends.mkldnn.{op}", precision)
    for op, precision in _precision.mkldnn_of.items()
)
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2


def is_available():
    """Whether there is oneDNN: yes."""
    return True


def is_acl_available():
    """Whether there are Arm's kernels: no."""
    return False


class verbose:  # noqa: N801 - PyTorch's name
    """In PyTorch, has oneDNN print its calls within `with`.

    Raises:
        RuntimeError: when it is entered with another level than VERBOSE_OFF.
    """

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        if self.level != VERBOSE_OFF:
            raise RuntimeError(
                "backends.mkldnn.verbose: oneDNN is told when a program starts, by ONEDNN_VERBOSE=1 in the "
                "environment"
            )
        return self

    def __exit__(self, *exception):
        return False


def set_flags(_enabled=None, _deterministic=None, _allow_tf32=None, _fp32_precision="none"):
    """Assigns the settings that are not None; what all were, in this order."""
    return _set_flags(__name__, {key[1:]: value for key, value in locals().items()})


def flags(enabled=None, deterministic=False, allow_tf32=True, fp32_precision="none"):
    """The settings within `with`; None changes nothing. PyTorch's default of `enabled` is False."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
