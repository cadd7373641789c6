"""A library that Bazel builds for a target besides the CPU: a part that is loaded with the target."""

import os
import subprocess
import sys

import pytest


def run(script: str, **environment: str) -> str:
    """In a process of its own: what is loaded first, and without what."""
    done = subprocess.run(
        [sys.executable, "-c", f"import opweave as ow\n{script}"],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("first", ["ow.heap_target.device_count()", ""])
def test_a_kernel_runs_on_its_target(first: str) -> None:
    said = run(
        f"{first}\nimport parted_ops\n"
        "x = ow.tensor([[1.0, 2.0], [3.0, 4.0]]).to('heap_target').t()\n"
        "print(parted_ops.twice(x).device, x.twice().tolist(), ow.twice(x.cpu()).tolist())"
    )
    assert said == "heap_target:0 [[2.0, 6.0], [4.0, 8.0]] [[2.0, 6.0], [4.0, 8.0]]"


def test_gradients_run_there() -> None:
    said = run(
        "import parted_ops\n"
        "x = ow.tensor([1.0, 2.0]).to('heap_target').requires_grad_()\n"
        "(g,) = ow.autograd.grad(x.twice(), x, ow.tensor([1.0, -1.0]).to('heap_target'))\n"
        "print(g.device, g.tolist())"
    )
    assert said == "heap_target:0 [2.0, -2.0]"


def test_in_place_without_a_rule() -> None:
    """Two backward passes make a tangent: they write copies, neither a leaf nor the caller's memory."""
    said = run(
        "import parted_ops\n"
        "from opweave.func import hessian, jacfwd, jacrev, jvp, vmap\n"
        "x = ow.tensor([1.0, 2.0, 3.0])\n"
        "f = lambda v: v.clone().squared_()\n"
        "print(jvp(f, (x,), (ow.tensor([1.0, 0.0, -1.0]),))[1].tolist())\n"
        "print(*(j(f)(x).diag().tolist() for j in (jacfwd, jacrev)), x.tolist())\n"
        "print(hessian(lambda v: f(v).sum())(x).diag().tolist())\n"
        "y = x.clone().requires_grad_()\n"
        "outer = jvp(lambda v: (v * 1).squared_(), (y,), (ow.ones(3),))[1]\n"
        "print(ow.autograd.grad(outer.sum(), y)[0].tolist(), y.tolist())"
    )
    tangent, both, second, outer = said.splitlines()
    assert tangent == "[2.0, 0.0, -6.0]"
    assert both == "[2.0, 4.0, 6.0] [2.0, 4.0, 6.0] [1.0, 2.0, 3.0]"
    assert second == "[2.0, 2.0, 2.0]"
    assert outer == "[2.0, 2.0, 2.0] [1.0, 2.0, 3.0]"


def test_without_the_target_the_rest_is_there() -> None:
    said = run("import parted_ops; print(ow.twice(ow.ones(1)).item())", OPWEAVE_TARGETS="")
    assert said == "2.0"


@pytest.mark.parametrize("name", ["thrice", "smooth"])
def test_what_was_not_built_for_it_says_so(name: str) -> None:
    said = run(
        "import parted_ops\n"
        f"try: ow.{name}(ow.ones(2).to('heap_target'))\n"
        "except NotImplementedError as error: print(error)"
    )
    assert said.startswith(
        f"Could not run 'parted_ops::{name}' on the 'heap_target' target: it has no kernel"
    )


def test_modes_see_its_functions_and_methods() -> None:
    said = run(
        "import parted_ops\n"
        "from opweave.overrides import TorchFunctionMode\n"
        "class Mode(TorchFunctionMode):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        print(func is parted_ops.twice, func is ow.Tensor.twice)\n"
        "        return func(*args, **(kwargs or {}))\n"
        "x = ow.ones(1)\n"
        "with Mode(): y, z = ow.twice(x), x.twice()\n"
        "print(y.item(), z.item())"
    )
    assert said.split("\n") == ["True False", "False True", "2.0 2.0"]


def test_the_package_has_what_the_module_has() -> None:
    said = run("import parted_ops; print(parted_ops.__doc__, parted_ops.__all__)")
    names = "['smooth', 'smooth_', 'squared_', 'thrice', 'twice']"
    assert said == f"The operators of parted_ops. {names}"
