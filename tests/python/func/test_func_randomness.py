"""Random operators under vmap: the answers to each `randomness` are those of torch.func.vmap."""

import opweave as ow
import pytest
from opweave.func import grad, jacfwd, jvp, vmap

dropout = ow.nn.functional.dropout

# What each example calls; `a` is batched.
OPERATIONS = {
    "randn": lambda a: ow.randn(40),
    "rand_like": lambda a: ow.rand_like(a),
    "randn_like of what is the same for all": lambda a: ow.randn_like(ow.zeros(40)),
    "randint": lambda a: ow.randint(0, 1000, (40,)),
    "randperm": lambda a: ow.randperm(40),
    "dropout": lambda a: dropout(a),
    "dropout of what is the same for all": lambda a: dropout(ow.ones(40)),
    "normal_": lambda a: a.clone().normal_(),
    "normal_ on what is the same for all": lambda a: ow.zeros(40).normal_(),
    "bernoulli": lambda a: ow.bernoulli(a * 0.5),
    "normal": lambda a: ow.normal(a, 1.0),
    "a random operator in another": lambda a: ow.randn(40) * a.sum() + ow.rand(40),
}
REFUSED = {
    "same": {
        "bernoulli": "does not currently support same randomness with a batched tensor input",
        "normal": "does not currently support same randomness with a batched tensor input",
    },
    "different": {
        "normal_ on what is the same for all": "Cannot ask for different inplace randomness on an "
        "unbatched tensor. This will appear like same randomness",
    },
}
ERROR = (
    r"vmap: called random operation \w+(\.\w+)? while in randomness error mode. Please either use "
    "the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of "
    "vmap"
)


@pytest.fixture
def x():
    ow.manual_seed(0)
    return ow.ones(4, 40)


@pytest.fixture(autouse=True)
def nothing_is_left_open():
    yield
    assert ow._C._vmap_depth() == 0
    ow.randn(2)


def equal(a, b):
    return bool((a == b).all())


@pytest.mark.parametrize("name", OPERATIONS)
def test_refused_unless_asked_for(x, name):
    with pytest.raises(RuntimeError, match=ERROR):
        vmap(OPERATIONS[name])(x)
    with pytest.raises(RuntimeError, match=ERROR):
        vmap(OPERATIONS[name], randomness="error")(x)


@pytest.mark.parametrize("mode", ["same", "different"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_drawn_once_or_for_each_example(x, name, mode):
    batched = vmap(OPERATIONS[name], randomness=mode)
    if words := REFUSED[mode].get(name):
        with pytest.raises(RuntimeError, match=words):
            batched(x)
        return
    got = batched(x)
    assert got.shape == (4, 40)
    assert not equal(got[0, :20], got[0, 20:])
    for other in got[1:]:
        assert equal(got[0], other) == (mode == "same")


@pytest.mark.parametrize("mode", ["error", "same", "different"])
def test_dropout_that_is_off_draws_nothing(x, mode):
    assert equal(vmap(lambda a: dropout(a, training=False), randomness=mode)(x), x)
    assert equal(vmap(lambda a: dropout(a, 0.0), randomness=mode)(x), x)
    assert equal(vmap(lambda a: dropout(a, 1.0), randomness=mode)(x), x * 0)


def test_attention_draws_where_it_drops(x):
    attention = ow.nn.functional.scaled_dot_product_attention
    q = x.reshape(4, 2, 5, 4)
    assert vmap(lambda a: attention(a, a, a))(q).shape == q.shape
    with pytest.raises(RuntimeError, match=ERROR):
        vmap(lambda a: attention(a, a, a, dropout_p=0.5))(q)


@pytest.mark.parametrize("outer", ["same", "different"])
@pytest.mark.parametrize("inner", ["same", "different"])
@pytest.mark.parametrize("batched", [False, True])
def test_each_of_nested_vmaps_decides_for_its_examples(outer, inner, batched):
    def draw(a):
        return ow.rand_like(a) if batched else ow.rand(5)

    got = vmap(vmap(draw, randomness=inner), randomness=outer)(ow.ones(3, 4, 5))
    assert got.shape == (3, 4, 5)
    assert equal(got[0], got[1]) == (outer == "same")
    assert equal(got[:, 0], got[:, 1]) == (inner == "same")


@pytest.mark.parametrize("modes", [("error", "different"), ("same", "error")])
def test_one_of_nested_vmaps_may_refuse(modes):
    with pytest.raises(RuntimeError, match=ERROR):
        vmap(vmap(lambda a: ow.randn(2), randomness=modes[1]), randomness=modes[0])(ow.ones(3, 4))


def test_chunks_are_one_batch(x):
    for mode in ("same", "different"):
        got = vmap(lambda a: ow.randn(5), randomness=mode, chunk_size=3)(x)
        assert equal(got[0], got[3]) == (mode == "same")


def test_derivatives_see_the_numbers_that_were_drawn(x):
    for mode in ("same", "different"):
        slopes = vmap(grad(lambda a: (dropout(a) * 2).sum()), randomness=mode)(x)
        assert set(slopes.flatten().tolist()) == {0.0, 4.0}
        assert equal(slopes[0], slopes[1]) == (mode == "same")
    value, tangent = jvp(vmap(lambda a: dropout(a) * 3, randomness="same"), (x,), (2 * x,))
    assert equal(tangent, 2 * value)


def test_jacobians_forwards_run_the_function_under_vmap():
    x = ow.ones(3)
    with pytest.raises(RuntimeError, match=ERROR):
        jacfwd(lambda a: a * ow.randn(3))(x)
    found = jacfwd(lambda a: a * ow.randn(3), randomness="same")(x)
    assert equal(found * (1 - ow.eye(3)), ow.zeros(3, 3))
    assert len(set(found.diagonal().tolist())) == 3


def test_other_answers_are_refused(x):
    words = "Only allowed values for randomness are 'error', 'different', or 'same'. Got foo"
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda a: a, randomness="foo")(x)
