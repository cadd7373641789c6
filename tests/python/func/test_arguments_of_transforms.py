"""What transforms are asked for, and functions that cannot be differentiated or put together as asked."""

import opweave as ow
import pytest


def _product(a, b):
    return (a * b).sum()


@pytest.mark.parametrize(
    "transform", [ow.func.grad, ow.func.jacrev, ow.func.jacfwd, ow.func.hessian]
)
@pytest.mark.parametrize(
    ("argnums", "match"),
    [
        ((1, 1), r"argnums elements must be unique, got \(1, 1\)"),
        ((0, -2), r"argnums elements must be unique, got \(0, 0\)"),
        ((), "argnums must be non-empty"),
        ((0, 1.0), "argnum must be int, got: <class 'float'>"),
        ([0], r"argnums must be int or Tuple\[int, ...\], got: <class 'list'>"),
        (2, "Got argnum=2, but only 2 positional inputs"),
    ],
)
def test_arguments_are_named_once(transform, argnums, match):
    with pytest.raises(RuntimeError, match=match):
        transform(_product, argnums)(ow.ones(2), ow.ones(2))


@pytest.mark.parametrize("out_dims", [None, (None, 0), (0, None)])
@pytest.mark.parametrize("chunk_size", [None, 1])
def test_results_that_differ_need_a_dimension(out_dims, chunk_size):
    batched = ow.vmap(lambda x: (x * 2, x), out_dims=out_dims, chunk_size=chunk_size)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        batched(ow.ones(2, 3))


def test_results_that_are_alike_need_none():
    whole = ow.vmap(lambda x: (x * 2, ow.arange(3)), out_dims=(0, None))(ow.ones(2, 3))
    assert [t.tolist() for t in whole] == [[[2.0] * 3] * 2, [0, 1, 2]]
    with pytest.raises(ValueError, match="`out_dims` must be an int, None or a python collection"):
        ow.vmap(lambda x: x, out_dims=1.0)(ow.ones(2, 3))


@pytest.mark.parametrize("chunk_size", [None, 1])
@pytest.mark.parametrize("what", ["s", None, True, 2.0])
def test_results_that_are_no_tensors_need_none(what, chunk_size):
    x = ow.ones(2, 3)

    def batched(out_dims, result):
        return ow.vmap(result, out_dims=out_dims, chunk_size=chunk_size)(x)

    whole, same = batched((0, None), lambda t: (t, what))
    assert whole.equal(x)
    assert same is what
    assert batched(None, lambda t: what) is what
    assert batched({"a": 0, "b": None}, lambda t: {"a": t, "b": what})["b"] is what
    assert (
        ow.vmap(ow.vmap(lambda t: (t, what), out_dims=(0, None)), out_dims=(0, None))(x)[1] is what
    )
    with pytest.raises(ValueError, match="must only return Tensors, got type"):
        batched((0, 0), lambda t: (t, what))


def test_results_of_no_examples():
    none, same = ow.ones(0, 3), ow.ones(2)
    assert ow.vmap(lambda t: same, out_dims=None)(none).tolist() == [1.0, 1.0]
    whole, alike = ow.vmap(lambda t: (t * 2, same), out_dims=(0, None))(none)
    assert whole.shape == (0, 3)
    assert alike.tolist() == [1.0, 1.0]
    assert ow.vmap(lambda t: same, out_dims=1)(none).shape == (2, 0)


def test_a_dimension_of_one_tensor_in_a_tuple():
    x = ow.ones(2, 3)
    assert ow.vmap(lambda t: t, out_dims=(1,))(x).shape == (3, 2)
    assert ow.vmap(lambda t: ow.ones(4), out_dims=(None,))(x).shape == (4,)
    with pytest.raises(
        ValueError, match="out_dims is not compatible with the structure of outputs"
    ):
        ow.vmap(lambda t: t, out_dims=[1])(x)


def test_dimensions_and_chunks_are_ints():
    with pytest.raises(
        TypeError, match="Got in_dim=True for an input but in_dim must be int, not bool"
    ):
        ow.vmap(lambda t: t, in_dims=True)(ow.ones(2, 3))
    for size in (1.5, "a"):
        with pytest.raises(TypeError, match="chunk_size should be None or an int, got"):
            ow.vmap(lambda t: t, chunk_size=size)


@pytest.mark.parametrize(
    "result", [lambda a: (a * 10).long(), lambda a: a > 1, lambda a: (a, a > 1)]
)
@pytest.mark.parametrize(
    "transform", [ow.func.jacrev, ow.func.hessian, lambda f: lambda x: ow.func.vjp(f, x)]
)
def test_whole_numbers_have_no_gradients(transform, result):
    with pytest.raises(RuntimeError, match="All outputs of f must be floating-point or complex"):
        transform(result)(ow.ones(3))


@pytest.mark.parametrize("name", ["vhp", "hvp", "hessian"])
def test_products_with_a_hessian_are_of_one_element(name):
    x = ow.ones(3)
    more = () if name == "hessian" else (x,)
    transform = getattr(ow.autograd.functional, name)
    with pytest.raises(RuntimeError, match=f"given to {name} should contain a single element"):
        transform(lambda a: a * 2, x, *more)
    with pytest.raises(RuntimeError, match=f"given to {name} should return a single Tensor"):
        transform(lambda a: (a.sum(), a.sum()), x, *more)


def test_a_jacobian_by_tangents_has_the_history_of_its_inputs():
    def jacobian(x):
        return ow.autograd.functional.jacobian(
            lambda a: a * a, x, strategy="forward-mode", vectorize=True
        )

    assert not jacobian(ow.ones(2)).requires_grad
    assert jacobian(ow.ones(2, requires_grad=True) * 1).requires_grad


@pytest.mark.parametrize("chunk_size", [None, 1])
@pytest.mark.parametrize(
    "f", [lambda x: x[:0], lambda x: x[ow.tensor([], dtype=ow.int64)], lambda x: x.cumprod(0)[:0]]
)
def test_jacobians_of_results_without_elements(f, chunk_size):
    jacrev, x = ow.func.jacrev, ow.ones(3, dtype=ow.float64)
    assert jacrev(f, chunk_size=chunk_size)(x).shape == (0, 3)
    assert jacrev(f, chunk_size=chunk_size)(x).dtype is ow.float64
    assert ow.func.jacfwd(f)(x).shape == (0, 3)
    for outer in (jacrev, ow.func.jacfwd):
        assert outer(jacrev(f, chunk_size=chunk_size))(x).shape == (0, 3, 3)
    assert ow.func.hessian(f)(x).shape == (0, 3, 3)
    assert ow.vmap(jacrev(f, chunk_size=chunk_size))(ow.ones(2, 3)).shape == (2, 0, 3)
    (of_a, of_b), aux = jacrev(lambda a, b: (f(a * b.sum()), a), (0, 1), has_aux=True)(
        x, ow.ones(2)
    )
    assert (of_a.shape, of_b.shape) == ((0, 3), (0, 2))
    assert aux.equal(x)
    none, whole = jacrev(lambda x: (f(x), x))(x)
    assert none.shape == (0, 3)
    assert whole.equal(ow.eye(3, dtype=ow.float64))
