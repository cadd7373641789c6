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


def _weights(ow):
    return ow.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


# Functions that look at values: (function, tensors of examples, one of which may be refused).
LOOKING = {
    "bincount": lambda ow: (
        lambda i: ow.bincount(i, minlength=4),
        (ow.tensor([[0, 1, 1], [2, 3, 3]]),),
    ),
    "bincount, weights": lambda ow: (
        lambda i, w: ow.bincount(i, w, 4),
        (ow.tensor([[0, 1, 1], [2, 3, 3]]), _weights(ow)),
    ),
    "bincount, weights of all": lambda ow: (
        lambda i: ow.bincount(i, _weights(ow)[0]),
        (ow.tensor([[0, 1, 3], [2, 3, 3]]),),
    ),
    "bincount, numbers of all": lambda ow: (
        lambda w: ow.bincount(ow.tensor([0, 2, 2]), w),
        (_weights(ow),),
    ),
    "bincount, less than 0": lambda ow: (ow.bincount, (ow.tensor([[0, 1], [-1, 1]]),)),
    "quantile": lambda ow: (ow.quantile, (_weights(ow), ow.tensor([0.2, 0.7]))),
    "quantile, beyond 1": lambda ow: (ow.quantile, (_weights(ow), ow.tensor([0.2, 1.7]))),
    "cov": lambda ow: (lambda x, w: ow.cov(x, aweights=w), (_weights(ow), _weights(ow))),
    "cov, less than 0": lambda ow: (
        lambda x, w: ow.cov(x, aweights=w),
        (_weights(ow), -_weights(ow)),
    ),
    "cov, frequencies": lambda ow: (
        lambda x, n: ow.cov(x, fweights=n),
        (_weights(ow), ow.tensor([[1, 2, 1], [3, 1, 1]])),
    ),
    "gcd": lambda ow: (ow.gcd, (ow.tensor([[12, 18], [7, 0]]), ow.tensor([[8, 27], [5, 3]]))),
    "lcm": lambda ow: (ow.lcm, (ow.tensor([[12, 18], [7, 0]]), ow.tensor([[8, 27], [5, 3]]))),
    "gaussian_nll_loss": lambda ow: (
        ow.nn.functional.gaussian_nll_loss,
        (_weights(ow), _weights(ow) * 2, _weights(ow)),
    ),
    "gaussian_nll_loss, less than 0": lambda ow: (
        ow.nn.functional.gaussian_nll_loss,
        (_weights(ow), _weights(ow) * 2, _weights(ow) - 0.5),
    ),
    "multilabel_margin_loss": lambda ow: (
        ow.nn.functional.multilabel_margin_loss,
        (_weights(ow), ow.tensor([[0, -1, 1], [1, 2, -1]])),
    ),
    "multilabel_margin_loss, no class": lambda ow: (
        ow.nn.functional.multilabel_margin_loss,
        (_weights(ow), ow.tensor([[0, -1, 1], [1, 3, -1]])),
    ),
    "segment_reduce": lambda ow: (
        lambda x, n: ow.segment_reduce(x, "sum", lengths=n, axis=0),
        (_weights(ow), ow.tensor([[1, 2], [2, 1]])),
    ),
    "segment_reduce, too long": lambda ow: (
        lambda x, n: ow.segment_reduce(x, "sum", lengths=n, axis=0),
        (_weights(ow), ow.tensor([[1, 2], [2, 2]])),
    ),
}


def _outcome(call):
    try:
        return call()
    except (RuntimeError, ValueError) as error:
        return error


@pytest.mark.parametrize("name", LOOKING)
def test_functions_that_look_at_values(ow, name):
    function, batches = LOOKING[name](ow)
    want = _outcome(lambda: ow.stack([function(*(b[i] for b in batches)) for i in range(2)]))
    got = _outcome(lambda: ow.func.vmap(function)(*batches))
    assert type(got) is type(want)
    if isinstance(want, Exception):
        assert str(got) == str(want)
        return
    assert got.dtype == want.dtype
    assert ow.allclose(got, want)


def test_counts_of_examples_have_one_length(ow):
    text = r"^vmap: the results of bincount differ in shape between the examples: \[2\] and \[4\]$"
    with pytest.raises(RuntimeError, match=text):
        ow.func.vmap(ow.bincount)(ow.tensor([[0, 1], [3, 3]]))


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("batched", [False, True])
def test_places_drawn_for_each_example(ow, batched, replacement):
    def draw(p):
        return ow.multinomial(p if batched else ow.ones(200), 100, replacement)

    weights = ow.ones(3, 200)
    got = ow.func.vmap(draw, randomness="different")(weights)
    assert got.shape == (3, 100)
    assert got[0].tolist() != got[1].tolist() != got[2].tolist()
    assert replacement or all(len(set(row.tolist())) == 100 for row in got)
    with pytest.raises(RuntimeError, match="while in randomness error mode"):
        ow.func.vmap(draw)(weights)
    if batched:
        text = "^vmap: multinomial does not currently support same randomness with a batched tensor input$"
        with pytest.raises(RuntimeError, match=text):
            ow.func.vmap(draw, randomness="same")(weights)
    else:
        got = ow.func.vmap(draw, randomness="same")(weights)
        assert got[0].tolist() == got[1].tolist() == got[2].tolist()
    chosen = ow.func.vmap(lambda p: ow.multinomial(p, 1), randomness="different")(ow.eye(3))
    assert chosen.tolist() == [[0], [1], [2]]
    with pytest.raises(RuntimeError, match="contains either `inf`, `nan` or element < 0"):
        ow.func.vmap(draw, randomness="different")(-weights) if batched else ow.multinomial(
            -weights, 1
        )
