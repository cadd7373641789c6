"""Ways in which tensors of the same elements lie in memory."""

import opweave as ow
from calls import mapped


def _strided(t):
    wide = ow.zeros((*t.shape[:-1], 2 * t.shape[-1]), dtype=t.dtype)
    wide[..., ::2] = t
    return wide[..., ::2]


def _transposed(t):
    return t.transpose(0, -1).contiguous().transpose(0, -1)


def _offset(t):
    longer = ow.zeros((t.shape[0] + 1, *t.shape[1:]), dtype=t.dtype)
    longer[1:] = t
    return longer[1:]


def _expanded(t):
    """Rows that share memory: of other elements, that of the first row."""
    return t[:1].expand(t.shape)


LAYOUTS = {"strided": _strided, "transposed": _transposed, "offset": _offset}
EXPANDED = _expanded


def laid_out(values, layout):
    """The arguments with each tensor that has dimensions and elements in a layout."""
    return mapped(ow, lambda t: layout(t) if t.dim() and t.numel() else t, values)
