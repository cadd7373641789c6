"""Checks of values look at all examples under vmap, and refuse what a loop over them refuses."""

import pytest


def _examples(ow, *values):
    return ow.tensor(values, dtype=ow.float64)


def _cross_entropy(ow):
    return ow.nn.functional.binary_cross_entropy


PROBABILITIES, TARGETS = ((0.2, 0.7), (0.4, 0.9)), ((0.0, 1.0), (1.0, 0.0))


def _same(ow, got, want):
    assert ow.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_binary_cross_entropy_of_each_example(ow):
    x, y = _examples(ow, *PROBABILITIES), _examples(ow, *TARGETS)
    loss = _cross_entropy(ow)
    _same(ow, ow.func.vmap(loss)(x, y), ow.stack([loss(a, b) for a, b in zip(x, y)]))
    _same(ow, ow.func.vmap(lambda a: loss(a, y[0]))(x), ow.stack([loss(a, y[0]) for a in x]))
    _same(ow, ow.func.vmap(lambda b: loss(x[0], b))(y), ow.stack([loss(x[0], b) for b in y]))


def test_derivatives_of_binary_cross_entropy(ow):
    x, y = _examples(ow, *PROBABILITIES), _examples(ow, *TARGETS)
    loss = _cross_entropy(ow)
    by_grad = ow.func.grad(loss)(x, y)
    for transform in (ow.func.jacrev, ow.func.jacfwd):
        _same(ow, transform(loss)(x, y), by_grad)
    each = ow.stack([ow.func.grad(loss)(a, b) for a, b in zip(x, y)])
    _same(ow, ow.func.vmap(ow.func.grad(loss))(x, y), each)
    curvature = y[0] / (x[0] * x[0]) + (1 - y[0]) / ((1 - x[0]) * (1 - x[0]))
    _same(ow, ow.func.hessian(loss)(x[0], y[0]), ow.diag(curvature / 2))


@pytest.mark.parametrize("argument", ["input", "target"])
def test_one_example_out_of_range_is_refused(ow, argument):
    x, y = _examples(ow, *PROBABILITIES), _examples(ow, *TARGETS)
    (x if argument == "input" else y)[1, 0] = 1.5
    with pytest.raises(
        RuntimeError, match=f"^all elements of {argument} should be between 0 and 1$"
    ):
        ow.func.vmap(_cross_entropy(ow))(x, y)
    with pytest.raises(
        RuntimeError, match=f"^all elements of {argument} should be between 0 and 1$"
    ):
        ow.func.vmap(ow.func.vmap(_cross_entropy(ow)))(x, y)


def test_normal_with_a_deviation_for_each_example(ow):
    draw = ow.func.vmap(lambda s: ow.normal(0.0, s), randomness="different")
    assert draw(ow.ones(3, 2)).shape == (3, 2)
    assert draw(ow.zeros(3, 2)).tolist() == [[0.0, 0.0]] * 3
    with pytest.raises(RuntimeError, match=r"^normal expects all elements of std >= 0\.0$"):
        draw(ow.tensor([[1.0], [-1.0]]))


def test_one_hot_of_each_example(ow):
    one_hot = ow.nn.functional.one_hot
    classes = ow.tensor([[0, 1], [2, 0]])
    got = ow.func.vmap(lambda i: one_hot(i, 3))(classes)
    assert got.tolist() == ow.stack([one_hot(c, 3) for c in classes]).tolist()
    text = r"^When vmap-ing one_hot, please provide an explicit positive num_classes argument\.$"
    with pytest.raises(RuntimeError, match=text):
        ow.func.vmap(one_hot)(classes)
    with pytest.raises(RuntimeError, match=r"smaller than num_classes \(2\), got 2\.$"):
        ow.func.vmap(lambda i: one_hot(i, 2))(classes)
    with pytest.raises(RuntimeError, match=r"^Class values must be non-negative, got -2\.$"):
        ow.func.vmap(lambda i: one_hot(i, 3))(-classes)
