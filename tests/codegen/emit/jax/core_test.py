"""Operators of Opweave's core in packages for JAX: tensors without dimensions, empty ones, dtypes, kinks."""

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


def test_operators_of_formulas_give_what_they_give_in_opweave(tmp_path):
    """Without a warning. A package without kernels has nothing to build."""
    python_with_jax()
    ops = tmp_path / "ops.yaml"
    ops.write_text("- func: plain(Tensor self) -> Tensor\n  expr: -self\n  dtypes: floating\n")
    (tmp_path / "derivatives.yaml").write_text("[]\n")
    package = tmp_path / "plain"
    made = generate(package, ops=ops, library="plain", framework=JAX)
    assert made.returncode == 0, made.stderr
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
