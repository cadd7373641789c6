"""Dropout: what is written, and what it is asked with."""

import math
import warnings

import numpy as np
import opweave as ow
import pytest

F, nn = ow.nn.functional, ow.nn
FUNCTIONS = {
    "dropout": ("Dropout", (2, 3)),
    "dropout1d": ("Dropout1d", (2, 3, 4)),
    "dropout2d": ("Dropout2d", (2, 3, 4, 4)),
    "dropout3d": ("Dropout3d", (2, 3, 2, 2, 2)),
    "alpha_dropout": ("AlphaDropout", (2, 3)),
    "feature_alpha_dropout": ("FeatureAlphaDropout", (2, 3)),
}


@pytest.mark.parametrize("name", ["AlphaDropout", "FeatureAlphaDropout"])
@pytest.mark.parametrize("p", [0.5, 1.0])
def test_layers_that_never_write(name, p):
    layer = getattr(nn, name)(p, inplace=True)
    x = ow.ones(2, 3, 8)
    assert layer(x).data_ptr() != x.data_ptr()
    assert x.eq(1).all()
    leaf = ow.ones(2, 3, requires_grad=True)
    layer(leaf).sum().backward()
    assert leaf.grad.shape == (2, 3)
    assert repr(layer) == f"{name}(p={p}, inplace=True)"


@pytest.mark.parametrize("name", ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"])
def test_layers_that_write(name):
    x = ow.ones(FUNCTIONS[name.lower()][1])
    assert getattr(nn, name)(1.0, inplace=True)(x) is x
    assert x.eq(0).all()
    leaf = ow.ones(FUNCTIONS[name.lower()][1], requires_grad=True)
    assert getattr(nn, name)(0.5, inplace=True).eval()(leaf) is leaf


@pytest.mark.parametrize(("name", "sizes"), [("Dropout1d", (3, 4)), ("Dropout3d", (3, 2, 2, 2))])
def test_one_example_that_is_not_written_either(name, sizes):
    layer = getattr(nn, name)(0.5, inplace=True).eval()
    leaf = ow.ones(sizes, requires_grad=True)
    for x, what in ((leaf, "^a leaf"), (leaf[:], "^a view of a leaf")):
        with pytest.raises(RuntimeError, match=f"{what} Variable that requires grad"):
            layer(x)
    with ow.no_grad():
        assert layer(leaf) is leaf
    assert layer(leaf * 2).requires_grad


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_probability(name):
    layer, sizes = FUNCTIONS[name]
    function, layer = getattr(F, name), getattr(nn, layer)
    for p in ("x", None, [0.1]):
        with pytest.raises(TypeError, match=rf"{name}\(\): argument 'p' must be float, not"):
            function(ow.ones(sizes), p)
        with pytest.raises(TypeError, match=r"argument 'p' must be float, not"):
            layer(p)
    for p in (-0.1, 1.5):
        with pytest.raises(ValueError, match=f"between 0 and 1, but got {p}"):
            function(ow.ones(sizes), p)
        with pytest.raises(ValueError, match=f"between 0 and 1, but got {p}"):
            layer(p)
    with pytest.raises(RuntimeError, match="between 0 and 1, but got nan"):
        function(ow.ones(sizes), math.nan)
    with pytest.raises(RuntimeError, match="between 0 and 1, but got nan"):
        layer(math.nan)(ow.ones(sizes))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("training", ["x", 1, 0, None, 1.0, ow.tensor(True)])
def test_training_is_a_bool(name, training):
    with pytest.raises(TypeError, match="must be bool, not"):
        getattr(F, name)(ow.ones(FUNCTIONS[name][1]), 0.5, training)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_probabilities_of_numpy(name):
    layer, sizes = FUNCTIONS[name]
    assert getattr(nn, layer)(np.array(0.5)).p == 0.5
    for p in (np.float32(0.0), np.float64(0.0), np.int64(0)):
        assert getattr(nn, layer)(p).p is p
        assert getattr(F, name)(ow.ones(sizes), p, False).eq(1).all()


@pytest.mark.parametrize("shape", [(6,), (6, 2), (6, 2, 2), (6, 2, 2, 2)])
def test_what_is_no_batch_of_volumes_is_one_example(shape):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dropped = nn.functional.dropout3d(ow.ones(shape), 0.5)
    each = dropped.reshape(6, -1)
    assert ow.equal(each, each[:, :1].expand_as(each))
