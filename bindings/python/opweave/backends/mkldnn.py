"""oneDNN, which computes products of matrices and convolutions on the host.

`enabled` cannot be False, as there is no other kernel of these; `deterministic` holds in any case;
`allow_tf32` is a permission that nothing makes use of.
"""

from opweave.backends._settings import PRECISIONS, Setting, make_module
from opweave.backends._settings import flags as _flags
from opweave.backends._settings import set_flags as _set_flags

__all__ = ["flags", "is_available", "set_flags"]

_settings = {
    "allow_tf32": Setting(None, kind=(bool, type(None))),
    "deterministic": Setting(False),
    "enabled": Setting(
        True,
        {False: "oneDNN computes products of matrices and convolutions, and nothing else does"},
    ),
    "fp32_precision": Setting("none", known=PRECISIONS, kind=str),
}


def is_available():
    """Whether there is oneDNN: yes."""
    return True


def set_flags(_enabled=None, _deterministic=None, _allow_tf32=None, _fp32_precision="none"):
    """Assigns the settings that are not None; what all were, in this order."""
    return _set_flags(__name__, {key[1:]: value for key, value in locals().items()})


def flags(enabled=None, deterministic=None, allow_tf32=None, fp32_precision=None):
    """The settings within `with`; PyTorch's defaults are False, False, True and "none"."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
