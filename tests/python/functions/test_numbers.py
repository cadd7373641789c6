"""Numbers without a place in a dtype are refused, wherever a program may write one; nothing wraps silently.

What is taken and what is refused is what PyTorch does; tests/python/generated/test_edges.py asks every
operator.
"""

import math
from functools import partial

import numpy as np
import opweave as ow
import opweave.nn.functional as F
import pytest
from opweave.utils._python_dispatch import TorchDispatchMode


def whole(dtype, n=2):
    return ow.ones(n, dtype=getattr(ow, dtype))


MASK = ow.tensor([True, False])
FIRST = ow.tensor([0])
INDEX = {
    "masked_fill": lambda x, v: x.masked_fill(MASK, v),
    "masked_fill_": lambda x, v: x.masked_fill_(MASK, v),
    "masked_fill of a tensor": lambda x, v: x.masked_fill(MASK, ow.tensor(v)),
    "index_fill": lambda x, v: x.index_fill(0, FIRST, v),
    "index_fill of a tensor": lambda x, v: x.index_fill(0, FIRST, ow.tensor(v)),
    "scatter": lambda x, v: x.scatter(0, FIRST, v),
    "fill_": lambda x, v: x.fill_(v),
    "where": lambda x, v: ow.where(MASK, x, v),
    "where, number first": lambda x, v: ow.where(MASK, v, x),
    "threshold": lambda x, v: F.threshold(x, 0, v),
    "full_like": lambda x, v: ow.full_like(x, v),
    "pad": lambda x, v: F.pad(x, (1, 1), value=v),
}


def fails(function, *arguments, match="value cannot be converted to type .* without overflow"):
    with pytest.raises(RuntimeError, match=match):
        function(*arguments)


@pytest.mark.parametrize("name", INDEX)
@pytest.mark.parametrize("value", [300, -300])
def test_elements_that_do_not_fit(name, value):
    fails(INDEX[name], whole("uint8"), value, match="type uint8_t without overflow")


@pytest.mark.parametrize("name", [n for n in INDEX if n not in ("threshold", "pad")])
def test_negative_numbers_wrap_in_unsigned_types(name):
    x = INDEX[name](whole("uint8"), -1)
    assert 255 in x.tolist()


@pytest.mark.parametrize("name", [n for n in INDEX if "tensor" not in n and n != "pad"])
def test_elements_of_other_types(name):
    fails(INDEX[name], whole("int32"), 2**40, match="type int without overflow")
    fails(INDEX[name], whole("int64"), 2**63, match="type int64_t without overflow")
    fails(INDEX[name], whole("float32"), 1e300, match="type float without overflow")


FACTORS = {
    "add": lambda x, v: ow.add(x, x, alpha=v),
    "add of a number": lambda x, v: ow.add(x, 1, alpha=v),
    "sub": lambda x, v: ow.sub(x, x, alpha=v),
    "rsub": lambda x, v: ow.rsub(x, x, alpha=v),
    "addcmul": lambda x, v: ow.addcmul(x, x, x, value=v),
    "index_add": lambda x, v: x.index_add(0, FIRST, x[:1], alpha=v),
    "addmm": lambda x, v: ow.addmm(x, x.view(1, 2), x.view(2, 1), alpha=v),
    "addmm beta": lambda x, v: ow.addmm(x, x.view(1, 2), x.view(2, 1), beta=v),
    "addmv": lambda x, v: ow.addmv(x, ow.outer(x, x), x, alpha=v),
    "baddbmm": lambda x, v: ow.baddbmm(x, x.view(1, 1, 2), x.view(1, 2, 1), alpha=v),
    "addbmm": lambda x, v: ow.addbmm(x, x.view(1, 1, 2), x.view(1, 2, 1), alpha=v),
    "addr": lambda x, v: ow.addr(x, x, x, alpha=v),
    "pow": lambda x, v: x**v,
    "pow_": lambda x, v: x.pow_(v),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors_that_do_not_fit(name):
    fails(FACTORS[name], whole("uint8"), 300, match="type uint8_t without overflow")
    fails(FACTORS[name], whole("int32"), 2**40, match="type int without overflow")


@pytest.mark.parametrize("name", [n for n in FACTORS if n != "pow_"])
def test_factors_of_floats(name):
    fails(FACTORS[name], whole("float32"), 1e300, match="type float without overflow")


def test_operands_wrap_like_tensors():
    x = whole("uint8")
    assert (x + 300).tolist() == [45, 45]
    assert (x * 300).tolist() == [44, 44]
    assert (x == 300).tolist() == [False, False]
    assert (ow.ones(2) * 1e300).tolist() == [float("inf")] * 2


@pytest.mark.parametrize(
    ("dtype", "least", "most"),
    [
        ("uint8", -255, 255),
        ("int8", -128, 127),
        ("int32", -(2**31), 2**31 - 1),
        ("int64", -(2**63), 2**63 - 1),
    ],
)
def test_the_range_is_exact(dtype, least, most):
    kind = getattr(ow, dtype)
    for make in (lambda v: ow.full((1,), v, dtype=kind), lambda v: ow.tensor([v], dtype=kind)):
        make(least), make(most)
        for beyond in (least - 1, most + 1):
            with pytest.raises(
                (RuntimeError, ValueError, OverflowError), match=r"overflow|Overflow|too big"
            ):
                make(beyond)


def test_fractions_are_cut_off_above_and_refused_below():
    assert ow.full((1,), 255.5, dtype=ow.uint8).item() == 255
    assert ow.tensor(127.5, dtype=ow.int8).item() == 127
    for dtype, value in (
        (ow.uint8, -0.5),
        (ow.uint8, 256.0),
        (ow.int8, -128.5),
        (ow.int64, 2.0**63),
    ):
        fails(partial(ow.full, (1,), value, dtype=dtype))
        fails(partial(ow.tensor, value, dtype=dtype))
    assert ow.full((1,), -(2.0**63), dtype=ow.int64).item() == -(2**63)


@pytest.mark.parametrize("value", [1e300, float("nan"), float("inf")])
def test_tensor_of_a_number(value):
    fails(lambda: ow.tensor(value, dtype=ow.int64), match="type int64 without overflow")
    fails(lambda: ow.tensor([value], dtype=ow.int32), match="type int32 without overflow")


def test_large_whole_numbers():
    assert ow.tensor(2**70, dtype=ow.float32).item() == 2.0**70
    assert ow.tensor(2**63, dtype=ow.bool).item() is True
    assert ow.full((), 1e5, dtype=ow.float32).item() == 1e5
    fails(lambda: ow.full((2,), 1e300, dtype=ow.float16), match="Half without overflow")
    fails(lambda: ow.arange(2**63, 2**63 + 3), match="int64_t")
    fails(lambda: ow.linspace(0, 300, 4, dtype=ow.uint8), match="uint8_t")
    fails(lambda: ow.linspace(0, 1e300, 3), match="type float ")


NARROW = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
ONE = {
    "fill_": lambda x, v: x.fill_(v),
    "fill_ of a number": lambda x, v: x[0].fill_(v),
    "full": lambda x, v: ow.full((1,), v, dtype=x.dtype),
    "full_like": lambda x, v: ow.full_like(x, v),
    "new_full": lambda x, v: x.new_full((), v),
    "where": lambda x, v: ow.where(ow.tensor([True, False]), v, x.expand(2))[0],
    "where, number last": lambda x, v: x.expand(2).where(ow.tensor([True, False]), v)[1],
    "assignment": lambda x, v: assigned(x, v),
}


def assigned(x, value):
    x[0] = value
    return x


@NARROW
@pytest.mark.parametrize("name", ONE)
def test_one_element_of_few_bits_becomes_infinite(name, dtype):
    """As where a tensor of one element is cast; several are refused, and so are wider floats."""
    assert ONE[name](whole(dtype, 1), -1e39).item() == -math.inf
    fails(ONE[name], whole("float32", 1), -1e39, match="type float without overflow")


@NARROW
def test_several_elements_of_few_bits_are_refused(dtype):
    x = whole(dtype)
    fails(x.fill_, -1e39)
    fails(ow.full_like, x, 1e39)
    fails(x.masked_fill, MASK, 1e39)


OF_ELEMENTS = {
    "add": lambda x, v: ow.add(x, x, alpha=v),
    "add of a number": lambda x, v: ow.add(x, 1, alpha=v),
    "sub": lambda x, v: ow.sub(x, x, alpha=v),
    "rsub": lambda x, v: ow.rsub(x, x, alpha=v),
    "addmv": lambda x, v: ow.addmv(x[:1], x[None], x, alpha=v),
    "addmv beta": lambda x, v: ow.addmv(x[:1], x[None], x, beta=v),
    "addr": lambda x, v: ow.addr(x[:1, None], x[:1], x[:1], alpha=v),
    "hardshrink": lambda x, v: F.hardshrink(x, v),
}


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_factors_that_elements_do_not_hold(name):
    fails(OF_ELEMENTS[name], whole("float16"), 70000.0, match="Half without overflow")
    fails(OF_ELEMENTS[name], whole("float32"), 1e39, match="float without overflow")


def test_bounds_beyond_a_type_limit_nothing():
    x = ow.tensor([1, 200], dtype=ow.uint8)
    assert F.hardtanh(x, -1, 5).tolist() == [1, 5]
    assert F.hardtanh(x, 7, 300).tolist() == [7, 200]
    assert F.hardtanh(x.clone(), -1, 5, inplace=True).tolist() == [1, 5]
    assert F.hardtanh(ow.tensor([1, -100], dtype=ow.int8), -200, 5).tolist() == [1, -100]
    assert x.clamp(-1, 300).tolist() == [1, 200]
    assert ow.ones(2, dtype=ow.int64).clamp(max=2**63).tolist() == [1, 1]


def test_bounds_that_no_element_satisfies():
    match = "Clamp (min|max) value .* is outside the representable range of (Byte|Int|Long)"
    fails(lambda: whole("uint8").clamp(max=-1), match=match)
    fails(lambda: whole("uint8").clamp(min=300), match=match)
    fails(lambda: whole("int32").clamp_min(2**40), match=match)
    fails(lambda: whole("int64").clamp(min=2**63), match=match)
    fails(lambda: F.hardtanh(whole("uint8"), -2, -1), match=match)


def test_bounds_of_strided_floats():
    x = ow.ones(2, 2)[:, 0]
    assert x.clamp(2**63).tolist() == [2.0**63] * 2
    assert x.clamp(max=2**63).tolist() == [1, 1]


def test_seeds_have_64_bits():
    for seed in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match="Overflow when unpacking long long"):
            ow.manual_seed(seed)
    assert ow.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1


def test_fractional_factors_of_whole_numbers_keep_the_dtype():
    x, m = ow.ones(2, dtype=ow.int64), ow.ones(2, 2, dtype=ow.int64)
    b = ow.ones(1, 2, 2, dtype=ow.int64)
    assert ow.addmv(x, m, x, beta=0.5).tolist() == [2, 2]
    assert ow.addmv(x, m, x, alpha=0.5).tolist() == [1, 1]
    assert ow.addbmm(m, b, b, alpha=1.5).dtype == ow.int64
    fails(
        lambda: ow.addr(m, x, x, alpha=0.5),
        match="argument alpha must not be a floating point number",
    )
    fails(
        lambda: ow.addr(m, x, x, beta=0.5),
        match="argument beta must not be a floating point number",
    )
    fails(
        lambda: ow.addr(m, x, x, beta=True), match="Boolean beta only supported for Boolean results"
    )
    truth = ow.addr(m.bool(), x.bool(), x.bool(), beta=2)
    assert truth.dtype == ow.bool
    assert truth.all()


def test_numpy_numbers():
    assert (ow.ones(2) + np.uint64(2**63)).tolist() == [2.0**63] * 2
    assert (ow.ones(2) == np.ones(2)).tolist() == [True, True]
    assert (ow.ones(2) < np.array([2.0, 1.0])).tolist() == [True, False]
    assert (ow.ones(2) != np.array([2.0, 1.0])).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [ow.int64, ow.int32, ow.uint8, ow.bool])
def test_numpy_numbers_beyond_int64_do_not_wrap(dtype):
    x, large = ow.ones(1, dtype=dtype), np.uint64(2**63)
    for call in (
        lambda: x + large,
        lambda: large + x,
        lambda: ow.mul(x, large),
        lambda: x.add_(large),
        lambda: x == large,
        lambda: ow.ops.add.Scalar(x, large),
    ):
        fails(call, match="uint64 9223372036854775808 cannot be converted to type int64_t without")
    assert (ow.ones(1, dtype=ow.int64) + np.uint64(2**63 - 1)).tolist() == [-(2**63)]
    assert ow.tensor(large).item() == 2**63
    assert ow.zeros(1, dtype=ow.uint64).fill_(large).tolist() == [2**63]


KEEP = {
    "silu": lambda x, out: ow.ops.silu.out(x, out=out),
    "leaky_relu": lambda x, out: ow.ops.leaky_relu.out(x, 0.5, out=out),
    "hardsigmoid": lambda x, out: ow.ops.hardsigmoid.out(x, out=out),
    "lerp": lambda x, out: ow.lerp(x, x, x, out=out),
    "abs": lambda x, out: ow.abs(x, out=out),
    "absolute": lambda x, out: ow.absolute(x, out=out),
    "msort": lambda x, out: ow.msort(x, out=out),
    "vdot": lambda x, out: ow.vdot(x, x, out=out),
    "negative": lambda x, out: ow.negative(x, out=out),
}


@pytest.mark.parametrize("name", KEEP)
def test_what_has_the_dtype_of_its_tensor_casts_into_no_out(name):
    x = ow.ones(2)
    KEEP[name](x, ow.empty(0))
    fails(KEEP[name], x, ow.empty(0, dtype=ow.float64), match="Expected out tensor to have dtype")


def test_what_promotes_casts_into_out():
    x, wide = ow.ones(2), ow.empty(2, dtype=ow.float64)
    for call in (
        lambda: ow.add(x, x, out=wide),
        lambda: ow.ops.add.Scalar_out(x, 1, out=wide),
        lambda: ow.subtract(x, -x, out=wide),
        lambda: ow.mul(x, 2, out=wide),
        lambda: ow.exp(x, out=wide).fill_(2),
        lambda: ow.sum(x, 0, keepdim=True, out=wide.resize_(1)),
    ):
        assert set(call().tolist()) == {2}
    assert ow.logical_not(x, out=ow.empty(2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x, yes: ow.nn.functional.pad(x > 0, (1, 1), value=yes), [[True] * 4] * 2),
        (lambda x, yes: ow.nn.functional.dropout(x, yes), [[0.0, 0.0]] * 2),
        (lambda x, yes: ow.nan_to_num(x * ow.nan, yes), [[1.0, 1.0]] * 2),
        (lambda x, yes: ow.isclose(x, x * 2, rtol=yes), [[True, True]] * 2),
        (lambda x, yes: ow.bernoulli(x, yes), [[1.0, 1.0]] * 2),
    ],
)
@pytest.mark.parametrize("yes", [True, np.bool_(True)])
def test_bools_are_numbers_where_a_float_is_asked(call, expected, yes):
    assert call(ow.ones(2, 2), yes).tolist() == expected


class _Through(TorchDispatchMode):
    """Hands every call on: its arguments are boxed on the way."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


_WIDE = {
    "add": lambda x, n: ow.add(x, x, alpha=n),
    "addcmul": lambda x, n: ow.addcmul(x, x, x, value=n),
    "clamp": lambda x, n: x.clamp(max=n),
    "fill_": lambda x, n: x.clone().fill_(n),
    "ge": lambda x, n: x >= n,
    "masked_fill": lambda x, n: x.masked_fill(MASK, n),
    "mul": lambda x, n: ow.ops.aten.mul.Scalar(x, n),
    "pow": lambda x, n: x**n,
    "threshold": lambda x, n: F.threshold(x, 1, n),
    "where": lambda x, n: ow.where(MASK, x, n),
}


@pytest.mark.parametrize("name", _WIDE)
@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_numbers_that_an_int64_does_not_hold_stay_what_they_are(name, number):
    x = ow.tensor([1.0, 2.0], dtype=ow.float64)
    wanted = _WIDE[name](x, float(number))
    assert ow.equal(_WIDE[name](x, number), wanted)
    with _Through():
        assert ow.equal(_WIDE[name](x, number), wanted)
    batched = ow.func.vmap(lambda t: _WIDE[name](t, number))(ow.stack([x, x]))
    assert ow.equal(batched, ow.stack([wanted, wanted]))


def test_wide_numbers_of_unsigned_tensors_keep_every_digit():
    x = ow.zeros(2, dtype=ow.uint64)
    with _Through():
        assert x.fill_(2**64 - 1).tolist() == [2**64 - 1] * 2
        assert x[0].item() == 2**64 - 1


@pytest.mark.parametrize("limits", [{"min_val": ow.nan}, {"max_val": ow.nan}])
def test_a_limit_of_nan_leaves_no_number(limits):
    x = ow.tensor([-2.0, -0.5, 2.0], requires_grad=True)
    y = ow.nn.functional.hardtanh(x, **limits)
    assert y.isnan().all()
    y.sum().backward()
    assert x.grad.tolist() == ([1.0, 1.0, 0.0] if "min_val" in limits else [0.0, 1.0, 1.0])
    assert ow.nn.functional.hardtanh(x.detach().clone(), **limits, inplace=True).isnan().all()
    fails(partial(ow.nn.functional.hardtanh, ow.tensor([1, 2]), **limits), match="outside the rep")


def test_whole_exponents_go_beyond_their_powers():
    """2^200 is no float32, and 1e-30 times it is one."""
    for dtype, least, n in ((ow.float32, -149, 200), (ow.float64, -1074, 1100)):
        x = ow.tensor([2.0**-100, 2.0**100, 0.0, -0.0, -3.0, ow.inf], dtype=dtype)
        up, down = (ow.full((6,), e, dtype=ow.int64) for e in (n, least - 100))
        assert ow.ldexp(x[:1], up[:1] - 100).item() == 2.0 ** (n - 200)
        assert ow.ldexp(x, up * 100).tolist() == [ow.inf, ow.inf, 0.0, 0.0, -ow.inf, ow.inf]
        assert ow.ldexp(x, down).tolist() == [0.0, 2.0**least, 0.0, 0.0, 0.0, ow.inf]
        assert ow.ldexp(x, down * 100)[:5].tolist() == [0.0] * 5
    digits = float.fromhex("0x1.3c20c33d0c525p-1022")  # rounded once where it is subnormal
    for value, n in ((digits, -6), (digits * 2.0**1000, -1006), (digits * 2.0**-20, 1500)):
        assert ow.ldexp(ow.tensor(value, dtype=ow.float64), ow.tensor(n)).item() == math.ldexp(
            value, n
        )
    assert ow.ldexp(ow.tensor(1e-30), ow.tensor(200)).item() == pytest.approx(1e-30 * 2.0**200)
    assert ow.ldexp(ow.tensor([0.0]), ow.tensor([255], dtype=ow.uint8)).item() == 0


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_least_common_multiple_of_the_smallest(dtype):
    """It has no positive number: as in NumPy, it is its own multiple. That of nothing is 0."""
    smallest = ow.iinfo(getattr(ow, dtype)).min
    values = ow.tensor([smallest, 0, 1, smallest], dtype=getattr(ow, dtype))
    others = ow.tensor([smallest, 0, smallest, 0], dtype=getattr(ow, dtype))
    assert ow.lcm(values, others).tolist() == [smallest, 0, smallest, 0]
