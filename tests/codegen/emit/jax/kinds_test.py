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
