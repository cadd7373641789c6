"""oneDNN, which computes products of matrices and convolutions on the host.

`enabled` cannot be False, as there is no other kernel of these; `deterministic` holds in any case;
`allow_tf32` is a permission that nothing makes use of.
"""

from opweave.backends._settings import PRECISIONS, Setting, make_module
from opweave.backends._settings import flags as _flags

__all__ = ["flags", "is_available"]

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


def flags(enabled=None, deterministic=None, allow_tf32=None, fp32_precision=None):
    """The settings within `with`; PyTorch's defaults are False, False, True and "none"."""
    return _flags(__name__, dict(locals()))


make_module(__name__)
