"""Inputs in any memory layout give what contiguous ones give."""

import opweave as ow
import pytest
from calls import mapped
from cases import assert_all_same, cases
from layouts import EXPANDED, LAYOUTS, laid_out


def _has_dims(case):
    return case.has_values and any(t for t in case.real)


@pytest.mark.parametrize(("case", "layout"), cases("layout", _has_dims, *LAYOUTS))
def test_layout(case, layout):
    values = case.values()
    wanted = case.results(case.fresh(values))
    # Written arguments are laid out as copies: the others must not be touched.
    found = case.results(laid_out(case.values(), LAYOUTS[layout]))
    assert_all_same(found, wanted, 1e-10)


@pytest.mark.parametrize(
    "case", cases("expanded", lambda c: _has_dims(c) and not c.operator.writes)
)
def test_expanded(case):
    """Rows that share memory are read as rows with the same elements."""
    values = {n: v for n, v in case.values().items() if n in case.real}
    expanded = {**case.values(), **laid_out(values, EXPANDED)}
    dense = mapped(ow, lambda t: t.clone().contiguous(), expanded)
    assert_all_same(case.results(expanded), case.results(dense), 1e-10)
