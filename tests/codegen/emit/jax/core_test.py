"""Operators of Opweave's core in packages for JAX: tensors without dimensions, empty ones, dtypes, kinks."""

import pytest
from support import JAX, generate, python_with_jax, run_with

PROGRAM = """
import json
import warnings
warnings.simplefilter("error")
import jax, jax.numpy as jnp, numpy as np
from plain_jax import _core as core
from plain_jax._vocabulary import polygamma
x, s = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), jnp.float32(3.0)
empty = jnp.zeros((2, 0, 3))
def said(name, value):
    for v in jax.tree.leaves(value):
        text = json.dumps(np.asarray(v).tolist())
        print(name, v.dtype, v.shape, json.loads(text, parse_float=lambda t: round(float(t), 4)))
said("any", core.any_along(x > 5, 1, True))
said("all", core.all_along(x > 0, 0))
for name, of in dict(sum=core.sum(s, [0]), mean=core.mean(s, [-1], True), max=core.amax(s, [0]),
                     place=core.argmax(s, 0), softmax=core.softmax(s, 0), several=core.logsumexp(s, [0]),
                     rolled=core.roll(s, 1, [0]), counted=core.cumsum(jnp.int8(3), 0),
                     product=core.product(s, -1)).items():
    said(name, of)
said("flat", [core.flatten(empty, 0, 0), core.flatten(empty), core.flatten(s)])
said("clamped", jax.grad(lambda x: core.clamp(x, 1, 3).sum())(jnp.array([0.0, 1.0, 2.0, 3.0, 4.0])))
said("part", [core.index_select(x, 1, jnp.array(2)), core.select(x, -1, -1)])
said("joined", core.cat([jnp.zeros(0), jnp.ones((1, 2), int)], 1))
said("lengths", core.cat_backward(x, [2, -1, 1], 1))
said("widened", core.softmax(x[0].astype("float16"), 0, True))
said("asked", [core.zeros([2], "float64"), core.sum(x, [0], False, "int64"), core.to(x[0], "float64")])
said("trigamma", [polygamma(1, jnp.float32(v)) for v in (-0.5, 1.0, 2.5)])
said("its gradient", jax.grad(lambda v: polygamma(1, v))(1.0))
for call in (lambda: core.select(x, 0, 2), lambda: core.sum(x, [2]), lambda: core.sum(s, [1])):
    try:
        print(call())
    except (IndexError, ValueError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""


# Formulas over the core, whose operators are printed as well.
OPS = """
- func: plain(Tensor self) -> Tensor
  expr: -self
  dtypes: floating
- func: held(Tensor self, Scalar by) -> Tensor
  composite: self * scalar_tensor(by)
  samples: [{self: real(3), by: 2}]
- func: raised(Tensor self, Scalar by) -> Tensor
  expr: self + by
- func: multiplied(Tensor self, Tensor other) -> Tensor
  expr: self * other
- func: at_most(Tensor self, Scalar limit=1) -> Tensor
  expr: "self > limit ? limit : self"
- func: picked(Tensor self, Tensor places) -> Tensor
  composite: index(self, [places])
  samples: [{self: real(3), places: [0, 1]}]
- func: spread(Tensor self, Scalar? correction=None) -> Tensor
  composite: std(self, [-1], correction=correction)
  samples: [{self: real(3)}]
""" + "".join(
    f"- func: of_{name}(Tensor self) -> Tensor\n  composite: {name}(self)\n"
    for name in ("abs", "sinc", "elu", "selu", "log_sigmoid", "hardswish", "logit", "silu", "softplus")
) + "".join(
    f"- func: of_{name}(Tensor self, Tensor other) -> Tensor\n  composite: {name}(self, other)\n"
    for name in ("logaddexp", "atan2", "xlogy", "copysign")
)  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Without kernels there is nothing to build."""
    python_with_jax()
    folder = tmp_path_factory.mktemp("plain")
    (folder / "ops.yaml").write_text(OPS)
    (folder / "derivatives.yaml").write_text("[]\n")
    package = folder / "plain"
    made = generate(package, ops=folder / "ops.yaml", library="plain", framework=JAX)
    assert made.returncode == 0, made.stderr
    return package


def said(package, program):
    """What a program prints."""
    head = "import jax, jax.numpy as jnp, numpy as np\nimport plain_jax as plain\n"
    found = run_with(JAX, package, "-c", head + program)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_operators_of_formulas_give_what_they_give_in_opweave(package):
    """Without a warning."""
    found = run_with(JAX, package, "-c", PROGRAM)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == [
        "any bool (2, 1) [[False], [True]]",
        "all bool (3,) [True, True, True]",
        "sum float32 () 3.0",
        "mean float32 () 3.0",
        "max float32 () 3.0",
        "place int32 () 0",
        "softmax float32 () 1.0",
        "several float32 () 3.0",
        "rolled float32 () 3.0",
        "counted int32 () 3",
        "product float32 () 3.0",
        "flat float32 (2, 0, 3) [[], []]",
        "flat float32 (0,) []",
        "flat float32 (1,) [3.0]",
        "clamped float32 (5,) [0.0, 1.0, 1.0, 1.0, 0.0]",
        "part float32 (2, 1) [[3.0], [6.0]]",
        "part float32 (2,) [3.0, 6.0]",
        "joined float32 (1, 2) [[1.0, 1.0]]",
        "lengths float32 (2, 2) [[1.0, 2.0], [4.0, 5.0]]",
        "lengths float32 (0,) []",
        "lengths float32 (2, 1) [[3.0], [6.0]]",
        "widened float32 (3,) [0.09, 0.2447, 0.6652]",
        "asked float32 (2,) [0.0, 0.0]",
        "asked int32 (3,) [5, 7, 9]",
        "asked float32 (3,) [1.0, 2.0, 3.0]",
        "trigamma float32 () 8.9348",
        "trigamma float32 () 1.6449",
        "trigamma float32 () 0.4904",
        "its gradient float32 () -2.4041",
        "IndexError index 2 is out of bounds for axis 0 with size 2",
        "IndexError Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        "IndexError Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ]


def test_operators_of_formulas_have_the_gradients_that_they_have_in_opweave(package):
    """At kinks, and where the case that is not taken is infinite; of the gradients as well."""
    program = """
inf = float("inf")
for name, values in dict(abs=[0.0, -0.0, -2.0], sinc=[0.0], elu=[1000.0, -1.0], selu=[1000.0],
                         log_sigmoid=[1000.0, -1000.0], hardswish=[inf, -inf], logit=[0.0]).items():
    slope = jax.grad(getattr(plain, "of_" + name))
    for x in values:
        print(name, x, round(float(slope(x)), 4), round(float(jax.grad(slope)(x)), 4))
for name, x, y in (("logaddexp", 1.0, 1.0), ("atan2", 0.0, 0.0), ("xlogy", 0.0, 0.0), ("copysign", 0.0, 1.0)):
    slopes = jax.grad(getattr(plain, "of_" + name), (0, 1))(x, y)
    print(name, *map(float, slopes), *map(float, jax.jacfwd(getattr(plain, "of_" + name), (0, 1))(x, y)))
x = jnp.array([[0.0, 2.0], [3.0, -1.0]])
total = lambda x: plain.of_elu(x).sum()
print(jax.vmap(jax.grad(total))(x).tolist() == jax.jit(jax.grad(total))(x).tolist())
"""
    assert said(package, program) == [
        "abs 0.0 0.0 0.0",
        "abs -0.0 0.0 0.0",
        "abs -2.0 -1.0 0.0",
        "sinc 0.0 0.0 -3.2899",
        "elu 1000.0 1.0 0.0",
        "elu -1.0 0.3679 0.3679",
        "selu 1000.0 1.0507 0.0",
        "log_sigmoid 1000.0 0.0 0.0",
        "log_sigmoid -1000.0 1.0 0.0",
        "hardswish inf 1.0 0.0",
        "hardswish -inf 0.0 0.0",
        "logit 0.0 inf -inf",
        "logaddexp 0.5 0.5 0.5 0.5",
        "atan2 0.0 0.0 0.0 0.0",
        "xlogy 0.0 0.0 0.0 0.0",
        "copysign 0.0 0.0 0.0 0.0",
        "True",
    ]


def test_operators_of_formulas_refuse_what_they_refuse_in_opweave(package):
    program = """
x = jnp.arange(3)
for call in (plain.of_silu, plain.of_softplus, plain.of_elu):
    try:
        print(call(x))
    except NotImplementedError as error:
        print(error)
"""
    assert said(package, program) == [
        "\"silu\" not implemented for 'Int'",
        "\"softplus\" not implemented for 'Int', the dtype of argument 'self'",
        "\"elu\" not implemented for 'Int', the dtype of argument 'self'",
    ]


def test_equal_elements_deviate_by_nothing_and_corrections_may_leave_nothing(package):
    program = """
x = jnp.array([2.0, 2.0, 2.0])
slope = jax.grad(plain.spread)
print(plain.spread(x), slope(x), jax.jacrev(slope)(x).sum(), plain.spread(jnp.array([1.0, 2.0, 4.0])))
for correction in (3, 4):
    print(plain.spread(jnp.array([1.0, 2.0, 4.0]), correction))
narrow = lambda values: jnp.array(values, "float16")
print(plain.spread(narrow([[1.0], [2.0]])), plain.spread(narrow([6e4, -6e4])))
"""
    assert said(package, program) == [
        "0.0 [0. 0. 0.] 0.0 1.5275252",
        "inf",
        "inf",
        "[nan nan] inf",
    ]


def test_constants_are_kept_apart_by_their_bits(package):
    """0.0 and -0.0 are equal, and NaN is not equal to itself: it would be traced anew for each call."""
    program = """
x = jnp.array([1.0, 2.0])
print(plain.held(x, 0.0), plain.held(x, -0.0), plain.held(x, 1), plain.held(x, True))
print(jax.jit(lambda x: (plain.held(x, 0.0), plain.held(x, -0.0)))(x))
from plain_jax import _operators
for _ in range(3):
    plain.held(x, float("nan"))
print(_operators.op_held._compiled._cache_size(), plain.held(jnp.array([1, 2]), 2).dtype)
"""
    assert said(package, program) == [
        "[0. 0.] [-0. -0.] [1. 2.] [1. 2.]",
        "(Array([0., 0.], dtype=float32), Array([-0., -0.], dtype=float32))",
        "5 float32",
    ]


def test_numbers_beside_16_bits_are_rounded_to_them(package):
    """As `exact_numbers` says; also inside of a program, where XLA leaves out casts there and back."""
    program = """
x, whole = jnp.linspace(0.1, 7, 500).astype("bfloat16"), jnp.arange(500) + 1000
wide = lambda v: jnp.asarray(v, "bfloat16").astype("float32")
for found, expected in ((plain.raised(x, 0.3), wide(x) + wide(0.3)),
                        (jax.jit(plain.raised)(x, 0.3), wide(x) + wide(0.3)),
                        (plain.multiplied(x, jnp.float32(0.3)), wide(x) * wide(0.3)),
                        (plain.multiplied(x, whole), wide(x) * wide(whole))):
    print(found.dtype, int((found != expected.astype("bfloat16")).sum()))
"""
    assert said(package, program) == ["bfloat16 0"] * 4


def test_numbers_without_a_place_are_refused(package):
    program = """
for dtype, limit in (("uint8", 300), ("uint8", -255), ("int8", -129), ("int32", 2**40), ("float16", 1e5),
                     ("float32", 1e40), ("float32", float("inf")), ("int32", 2**63)):
    for way in (plain.at_most, lambda x, n: jax.jit(lambda x: plain.at_most(x, n))(x)):
        try:
            print(way(jnp.ones(1, dtype), limit))
        except RuntimeError as error:
            print(type(error).__name__, error)
"""
    refused = "RuntimeError value cannot be converted to type {} without overflow"
    assert said(package, program) == [
        *[refused.format("uint8")] * 2,
        *["[1]"] * 2,
        *[refused.format("int8")] * 2,
        *[refused.format("int32")] * 2,
        *[refused.format("float16")] * 2,
        *[refused.format("float32")] * 2,
        *["[1.]"] * 2,
        *[refused.format("int32")] * 2,
    ]


def test_bytes_are_truth_values_as_indices(package):
    program = """
from plain_jax import _core as core
x, mask = jnp.array([1.0, 2.0, 3.0]), jnp.array([1, 0, 1], "uint8")
print(core.index(x, [mask]), core.index_put(x, [mask], jnp.float32(0)), core.clamp(x, float("nan")))
"""
    assert said(package, program) == ["[1. 3.] [0. 2. 0.] [nan nan nan]"]


def test_rules_refuse_places_and_sizes_that_there_are_not(package):
    """Python counts from the end of a list, and its numbers have no end: kernels would write beyond."""
    program = """
from plain_jax import _rule as rule
print(rule.first([2, 3], 0), rule.last([2, 3], 2), rule.without([2, 3], 1), rule.replaced([2, 3], 1, 4))
print(rule.inserted([2, 3], 2, 4), rule.reduced([2, 3], [-1], True), rule.floor_div(-7, 2))
rule.Result((2, 0), "float32").check()
for call in (*(lambda f=f, i=i: f([2, 3], i) for f in (rule.first, rule.last) for i in (-1, 3)),
             *(lambda i=i: rule.without([2, 3], i) for i in (-1, 2)),
             *(lambda i=i: rule.replaced([2, 3], i, 1) for i in (-1, 2)),
             *(lambda i=i: rule.inserted([2, 3], i, 1) for i in (-1, 3)),
             lambda: rule.smallest([]),
             lambda: rule.reduced([2, 3], [0, -2], False),
             lambda: rule.Result((2, -1), "float32").check(),
             lambda: rule.Result((2**62, 4, 0), "float32").check(),
             lambda: rule.Result((2**62, 0), "float32").check(),
             lambda: rule.product([2**62, 4]),
             lambda: rule.checked("f", 2**62, "*", 2),
             lambda: rule.checked("f", -2**63, "-", 1),
             lambda: rule.floor_div(-2**63, -1),
             lambda: rule.window(5, 2**62, 1, 2**62, 4, False)):
    try:
        print(call())
    except RuntimeError as error:
        print(error)
"""
    out = "index {} is out of range for the list [2, 3]"
    assert said(package, program) == [
        "() (2, 3) (2,) (2, 4)",
        "(2, 3, 4) (2, 1) -4",
        *[out.format(i) for i in (-1, 3, -1, 3, -1, 2, -1, 2, -1, 3)],
        "the smallest element of an empty list is asked for",
        "dim 0 appears multiple times in the list of dims",
        "Trying to create tensor with negative dimension -1: [2, -1]",
        "numel: the product of sizes [4611686018427387904, 4, 0] overflows int64",
        "Storage size calculation overflowed with sizes=[4611686018427387904, 0] and dtype float32",
        "numel: the product of sizes [4611686018427387904, 4] overflows int64",
        "f(): 4611686018427387904 * 2 is out of the range of 64-bit integers",
        "f(): -9223372036854775808 - 1 is out of the range of 64-bit integers",
        "-9223372036854775808 / -1 is out of the range of 64-bit integers",
        "a size is out of the range of 64-bit integers",
    ]
