"""Tensors that are laid out in memory share none with those they are made of: a call that writes one of both
would change the other."""

import opweave as ow
import pytest
from layouts import EXPANDED, KINDS, LAYOUTS, drawn_layouts, laid_out

_SHAPES = [(), (3,), (1,), (1, 4), (4, 1), (1, 1), (3, 4), (1, 3, 1), (2, 3, 4)]
_WAYS = {"contiguous": lambda t: t.clone(), **LAYOUTS, "expanded": EXPANDED}


def _arange(shape):
    return ow.arange(1.0, 1.0 + ow.zeros(shape).numel()).reshape(shape)


def _are_apart(laid, values):
    return laid.untyped_storage().data_ptr() != values.untyped_storage().data_ptr()


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("way", _WAYS)
def test_a_layout(way, shape):
    values = _arange(shape)
    laid = laid_out({"self": values, "list": [values]}, _WAYS[way])
    for tensor in (laid["self"], *laid["list"]):
        assert way == "expanded" or ow.equal(tensor, values)
        assert _are_apart(tensor, values)


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_layout(kind, shape):
    """Whatever dimensions chance takes."""
    values = _arange(shape)
    for call in "abcdefgh" if kind != "transposed" or len(shape) != 1 else ():
        laid, _ = drawn_layouts(call, {"self": values, "list": [values]}, of=(kind,))
        for tensor in (laid["self"], *laid["list"]):
            assert kind == "expanded" or ow.equal(tensor, values)
            assert _are_apart(tensor, values)
