"""An operator of each kind as a package for JAX: its own tests, batches and dtypes."""

from pathlib import Path

import pytest
from support import JAX, build, generate, python_with_jax, run_with, words_of_kinds

HERE = Path("tests/codegen/emit/jax/kinds").resolve()
KINDS = Path("tests/codegen/emit/kinds").resolve()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the package, built."""
    python_with_jax()
    out = tmp_path_factory.mktemp("kinds")
    made = generate(
        out, *words_of_kinds(HERE), ops=KINDS / "ops.yaml", library="kinds", framework=JAX
    )
    assert made.returncode == 0, made.stderr
    built = build(out, JAX)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    return out


def test_they_are_printed_without_jax(tmp_path):
    made = generate(
        tmp_path, *words_of_kinds(HERE), ops=KINDS / "ops.yaml", library="kinds", framework=JAX
    )
    assert made.returncode == 0, made.stderr


def said(package, program):
    """What a program prints."""
    head = "import jax, jax.numpy as jnp, numpy as np\nimport kinds_jax as kinds\n"
    found = run_with(JAX, package, "-c", head + program)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_their_own_tests_pass(package):
    found = run_with(JAX, package, "-m", "pytest", "-q", "--show-capture=no", "tests")
    assert found.returncode == 0, found.stdout[-6000:]


def test_a_batch_is_what_its_examples_are_one_by_one(package):
    program = """
x = jnp.array([[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]])
for name, call in dict(
    center=kinds.center,
    rows=kinds.running_sum,
    scalars=lambda row: jax.vmap(kinds.running_sum)(row),
    all=kinds.running_sum_of,
    dim=lambda row: kinds.running_sum_of(row, 0),
    total=kinds.total,
).items():
    found, expected = jax.vmap(call)(x), jnp.stack([call(row) for row in x])
    print(name, bool((found == expected).all()), found.tolist())
"""
    assert said(package, program) == [
        "center True [[-2.0, -1.0, 3.0], [-2.0, -1.0, 3.0]]",
        "rows True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "scalars True [[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]]",
        "all True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "dim True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "total True [9.0, 18.0]",
    ]


def test_nan_is_spelled_so_that_it_is_computed(package):
    program = "print(kinds.not_a_number(jnp.array([1.0, 99.0, 100.0, 1e9])).tolist())"
    assert said(package, program) == ["[1.0, 99.0, nan, nan]"]


def test_whole_numbers_and_truth_values_are_computed_with_as_in_cpp(package):
    found = run_with(JAX, package, KINDS / "more_whole.py", "jax")
    assert (found.stdout, found.returncode) == ("compared\n", 0), found.stdout + found.stderr


def test_batches_along_any_dimension_and_of_no_examples(package):
    program = """
x = jnp.arange(12.0).reshape(2, 2, 3)
close = lambda a, b: jnp.allclose(a, b, atol=1e-5)
for name, call in dict(center=kinds.center, sums=kinds.running_sum, first=lambda m: kinds.running_sum(m, 0),
                       total=kinds.total, lines=kinds.line_sums, several=kinds.standardized,
                       listed=lambda m: kinds.joined([m, 2 * m], -1), gradient=jax.grad(
                           lambda m: (kinds.standardized(m)[0] ** 3).sum())).items():
    same = []
    for axis in (0, 1, 2, -1):
        rows = [call(jnp.take(x, i, axis)) for i in range(x.shape[axis])]
        expected = jax.tree.map(lambda *parts: jnp.stack(parts, -1), *rows)
        for way in (jax.vmap(call, axis, -1), jax.jit(jax.vmap(call, axis, -1))):
            same.append(jax.tree.all(jax.tree.map(close, way(x), expected)))
    print(name, all(same), [p.shape for p in jax.tree.leaves(jax.vmap(call)(x[:0]))])
"""
    assert said(package, program) == [
        "center True [(0, 2, 3)]",
        "sums True [(0, 2, 3)]",
        "first True [(0, 2, 3)]",
        "total True [(0,)]",
        "lines True [(0, 3)]",
        "several True [(0, 2, 3), (0, 2, 1), (0, 2, 1)]",
        "listed True [(0, 2, 6)]",
        "gradient True [(0, 2, 3)]",
    ]


def test_results_without_a_gradient_have_none_in_either_direction(package):
    program = """
x = jnp.array([1.0, 5.0, 2.0])
value, index = jax.jvp(kinds.peak, (x,), (jnp.ones(3),))[1]
print(value, index.dtype == jax.dtypes.float0)
print(jax.grad(lambda x: kinds.peak(x)[0])(x), jax.jacfwd(lambda x: kinds.peak(x)[0])(x))
"""
    assert said(package, program) == [
        "1.0 True",
        "[0. 1. 0.] [0. 1. 0.]",
    ]


def test_where_nothing_but_truth_is_read_nothing_is_promoted(package):
    program = """
x, y = jnp.array([0.0, 2.0, 3.0]), jnp.array([1, 1, 0])
for found in (kinds.both(x, y), kinds.both(x > 0, y > 0), jax.vmap(kinds.both)(x, y), kinds.both(1.5, 2)):
    print(found.dtype, found.tolist())
"""
    values = "bool [False, True, False]"
    assert said(package, program) == [values, values, values, "bool True"]


def test_constants_reach_a_kernel_by_the_types_of_its_schema(package):
    """Also those that are equal and of several types, which have traces of their own."""
    program = """
x = jnp.ones(1)
calls = dict(
    whole=lambda: kinds.steered(x, 2),
    real=lambda: kinds.steered(x, 2.0),
    truth=lambda: kinds.steered(x, True),
    numpy=lambda: kinds.steered(
        x, np.float32(2), np.int64(1), np.bool_(True), np.array([1, 2]), jnp.array(3)
    ),
    ints_for_reals=lambda: kinds.steered(x, 2.0, 1, more=[1, 2], less=1),
    tuple=lambda: kinds.steered(x, 2.0, powers=(1, 2)),
    one_for_all=lambda: kinds.steered(x, 2.0, halves=[True]),
    dtype=lambda: kinds.steered(x, 2.0, dtype=np.int32),
    name=lambda: kinds.steered(x, 2.0, dtype="float16"),
)
for name, call in calls.items():
    print(name, call().item(), call().dtype)
"""
    assert said(package, program) == [
        "whole 2020.5 float32",
        "real 2002.5 float32",
        "truth 2010.5 float32",
        "numpy 1953.0 float32",
        "ints_for_reals 2005.0 float32",
        "tuple 2016.5 float32",
        "one_for_all 3002.5 float32",
        "dtype 2002 int32",
        "name 2002.0 float16",
    ]


def test_arguments_of_another_type_are_refused_by_name(package):
    program = """
x = jnp.ones((2, 3))
for call in (lambda: kinds.running_sum(x, 1.0),
             lambda: kinds.running_sum(x, None),
             lambda: kinds.running_sum([[1.0, 2.0]]),
             lambda: kinds.running_sum(None),
             lambda: kinds.steered(x, "2"),
             lambda: kinds.steered(x, 2, "1"),
             lambda: kinds.steered(x, 2, negative=1),
             lambda: kinds.steered(x, 2, powers=3),
             lambda: kinds.steered(x, 2, powers=[1, 0.5]),
             lambda: kinds.steered(x, 2, mode=2),
             lambda: kinds.steered(x, 2, halves=[True, False, True]),
             lambda: kinds.steered(x, 2, dtype="float31"),
             lambda: kinds.steered(x, 2, dtype="complex64"),
             lambda: kinds.steered(x.astype("complex64"), 2),
             lambda: jax.jit(lambda n: kinds.steered(x, 2, powers=[1, n]))(3),
             lambda: kinds.joined(x),
             lambda: kinds.joined([x, None]),
             lambda: kinds.largest_of([[1.0]]),
             lambda: kinds.joined([x, x[0]]),
             lambda: kinds.joined([x, x.T], 0),
             lambda: kinds.joined([x[0, 0]]),
             lambda: kinds.muladd(x, x, x, x),
             lambda: kinds.tilted(x, [x], x),
             lambda: kinds.whole(x, x, function=1)):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "TypeError running_sum(): argument 'dim' (position 2) must be int, not float",
        "TypeError running_sum(): argument 'dim' (position 2) must be int, not NoneType",
        "TypeError running_sum(): argument 'self' (position 1) must be an array, not list of list of "
        "float32[], float32[]",
        "TypeError running_sum(): argument 'self' (position 1) must be an array, not NoneType",
        "TypeError steered(): argument 'scale' (position 2) must be a number, not str",
        "TypeError steered(): argument 'offset' (position 3) must be float, not str",
        "TypeError steered(): argument 'negative' (position 4) must be bool, not int",
        "TypeError steered(): argument 'powers' (position 5) must be a list of int, not int",
        "TypeError steered(): argument 'powers' (position 5) must be a list of int, not list of int, float",
        "TypeError steered(): argument 'mode' (position 8) must be str, not int",
        "RuntimeError steered(): argument 'halves' must have 1 or 2 elements, but got [True, False, True]",
        "TypeError steered(): argument 'dtype' (position 12) must be a dtype, not str",
        "NotImplementedError \"steered\" not implemented for 'complex64'",
        "NotImplementedError \"steered\" not implemented for 'complex64', the dtype of argument 'self'",
        "TypeError steered(): argument 'powers' has to be known when the call is traced, got "
        "JitTracer(~int32[]): jax.jit has static_argnames for such arguments",
        "TypeError joined(): argument 'tensors' (position 1) must be a list of arrays, not float32[2,3]",
        "TypeError joined(): argument 'tensors' (position 1) must be a list of arrays, not list of "
        "float32[2,3], NoneType",
        "TypeError largest_of(): argument 'tensors' (position 1) must be a list of arrays, not list of "
        "list of float32[]",
        "RuntimeError cat(): Tensors must have same number of dimensions: got 2 and 1 for tensor number 1 in "
        "the list",
        "RuntimeError cat(): Sizes of tensors must match except in dimension 0. Expected size 3 but got size "
        "2 for tensor number 1 in the list.",
        "RuntimeError zero-dimensional tensor (at position 0) cannot be concatenated",
        "TypeError muladd(): argument 'scale' (position 4) must be a number, not float32[2,3]",
        "RuntimeError tilted(): expected two other tensors, got 1",
        "TypeError whole(): argument 'function' (position 3) must be str, not int",
    ]


def test_rules_refuse_what_has_no_answer(package):
    """A division by zero, and a list shorter than an index, would end the process."""
    program = """
x = jnp.arange(6.0).reshape(2, 3)
print(kinds.every_nth(x, 2).tolist(), kinds.firsts(x).tolist())
for call in (lambda: kinds.every_nth(x, 0), lambda: kinds.firsts(x[0, 0], 1), lambda: kinds.firsts(x[1, 2])):
    try:
        print(call())
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "[0.0, 2.0, 4.0] [0.0, 1.0, 2.0]",
        "RuntimeError division by zero",
        "IndexError Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        "RuntimeError index 0 is out of range for the list []",
    ]


def test_dtypes_that_jax_has_not_without_x64(package):
    """The kernel of `peak` gives int64."""
    program = """
value, index = kinds.peak(jnp.array([1.0, 5.0, 2.0]))
print(value, index, index.dtype)
jax.config.update("jax_enable_x64", True)
print(*kinds.peak(jnp.array([1.0, 5.0, 2.0])), kinds.peak(jnp.array([1.0, 5.0, 2.0]))[1].dtype)
"""
    assert said(package, program) == ["5.0 1 int32", "5.0 1 int64"]


def test_calls_that_are_wrong_say_so_in_the_words_of_the_entry(package):
    program = """
x = jnp.ones((2, 3))
for call in (lambda: kinds.line_sums(x[0]),
             lambda: kinds.running_sum(x, 5),
             lambda: kinds.weighted_sum(x, x[0]),
             lambda: kinds.blend(x > 0, x, x.astype(jnp.bfloat16)),
             lambda: kinds.center(x.astype(int)),
             lambda: kinds.largest_of([]),
             lambda: jax.jit(kinds.running_sum)(x, 1),
             lambda: jax.grad(lambda s: kinds.muladd(x, x, x, s).sum())(2.0)):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "RuntimeError line_sums(): expected a matrix, got 1 dimensions",
        "IndexError Dimension out of range (expected to be in range of [-2, 1], but got 5)",
        "RuntimeError weighted_sum(): expected a weight for each element",
        "TypeError blend(): expected tensors of one dtype, got float32 and bfloat16",
        "NotImplementedError \"center\" not implemented for 'Int', the dtype of argument 'self'",
        "RuntimeError largest_of(): expected at least one tensor",
        "TypeError running_sum(): argument 'dim' has to be known when the call is traced, got "
        "JitTracer(~int32[]): jax.jit has static_argnames for such arguments",
        "TypeError muladd(): argument 'scale' is a number, which has no gradient; "
        "jax.lax.stop_gradient cuts it off",
    ]


def test_what_nobody_may_differentiate_by(package):
    program = """
x = jnp.ones(2)
total = lambda a, b: kinds.weighed(a, b).sum()
print(jax.grad(total)(x, x).tolist(), jax.jit(jax.grad(total))(x, x).tolist())
print(jax.grad(lambda b: total(x, jax.lax.stop_gradient(b)))(x).tolist())
for call in (
    lambda: jax.grad(total, 1)(x, x),
    lambda: jax.jit(jax.grad(total, 1))(x, x),
    lambda: jax.jvp(total, (x, x), (x, x)),
):
    try:
        print(call())
    except TypeError as error:
        print(error)
"""
    refused = (
        "The function 'weighed' is not differentiable with respect to argument 'weight'; "
        "jax.lax.stop_gradient cuts it off"
    )
    assert said(package, program) == ["[1.0, 1.0] [1.0, 1.0]", "[0.0, 0.0]", *[refused] * 3]


def test_the_case_that_is_not_taken_has_no_gradient(package):
    program = """
x = jnp.array([1.0, 99.0])
print(jax.grad(lambda t: kinds.not_a_number(t).sum())(x).tolist())
print(jax.vjp(kinds.not_a_number, x)[1](jnp.ones(2))[0].tolist())
"""
    assert said(package, program) == ["[1.0, 1.0]"] * 2


def test_kernels_never_get_memory_that_is_not_as_promised(package):
    program = """
x = jnp.ones(3)
print(kinds.written_as_float(x).tolist(), kinds.written_as_float(x, 0, 0).shape)
for call in (lambda: kinds.written_as_float(x, dtype="uint8"),
             lambda: kinds.written_as_float(x, dtype="float16"),
             lambda: kinds.written_as_float(x, -1),
             lambda: kinds.written_as_float(x, 1),
             lambda: kinds.written_as_float(x, 0, -3),
             lambda: kinds.written_as_float(jnp.ones((2, 0)), 0, 2**61),
             lambda: kinds.written_as_float(x, 0, 2**62),
             lambda: kinds.written_as_float(x, 0, 2**63),
             lambda: kinds.written_as_float(x, True)):
    try:
        print(jax.block_until_ready(call()))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "[1.5, 1.5, 1.5, 1.5] (0,)",
        "JaxRuntimeError INVALID_ARGUMENT: expected scalar type Float but found Byte",
        "JaxRuntimeError INVALID_ARGUMENT: expected scalar type Float but found Half",
        "RuntimeError index -1 is out of range for the list [3]",
        "RuntimeError index 1 is out of range for the list [3]",
        "RuntimeError Trying to create tensor with negative dimension -6: [-6]",
        "RuntimeError Storage size calculation overflowed with sizes=[4611686018427387904, 0] and dtype "
        "float32",
        "RuntimeError written_as_float(): 4611686018427387904 * 2 is out of the range of 64-bit integers",
        "ValueError Overflow when unpacking long long",
        "TypeError written_as_float(): argument 'at' (position 2) must be int, not bool",
    ]


def test_constants_of_kernels_are_kept_apart_by_their_bits(package):
    """Also within one program: 0.0 and -0.0 are equal."""
    program = """
x = jnp.zeros(1) - 0.0
of = lambda x, offset: kinds.steered(x, 1.0, offset, halves=[False, False])
both = lambda x: (of(x, 0.0), of(x, -0.0))
print([v.item() for v in both(-x)], [v.item() for v in jax.jit(both)(-x)])
"""
    assert said(package, program) == ["[0.0, -0.0] [0.0, -0.0]"]
