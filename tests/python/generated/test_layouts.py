"""Inputs in any memory layout give what contiguous ones give."""

import opweave as ow
import pytest
from calls import mapped
from cases import assert_all_same, cases


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


LAYOUTS = {"strided": _strided, "transposed": _transposed, "offset": _offset}


def _laid_out(values, layout):
    return mapped(ow, lambda t: layout(t) if t.dim() and t.numel() else t, values)


def _has_dims(case):
    return case.has_values and any(t for t in case.real)


@pytest.mark.parametrize(("case", "layout"), cases("layout", _has_dims, *LAYOUTS))
def test_layout(case, layout):
    values = case.values()
    wanted = case.results(case.fresh(values))
    # Written arguments are laid out as copies: the others must not be touched.
    found = case.results(_laid_out(case.values(), LAYOUTS[layout]))
    assert_all_same(found, wanted, 1e-10)


def _expanded(t):
    return t[:1].expand(t.shape) if t.dim() and t.numel() else t


@pytest.mark.parametrize(
    "case", cases("expanded", lambda c: _has_dims(c) and not c.operator.writes)
)
def test_expanded(case):
    """Rows that share memory are read as rows with the same elements."""
    values = {n: v for n, v in case.values().items() if n in case.real}
    expanded = {**case.values(), **mapped(ow, _expanded, values)}
    dense = mapped(ow, lambda t: t.clone().contiguous(), expanded)
    assert_all_same(case.results(expanded), case.results(dense), 1e-10)
