"""Results that an entry calls not differentiable, whatever their kernels call: constant in both directions,
under every transform, and in both forms of a library."""

from pathlib import Path

import pytest
from installed import BUILD, Installed

ENTRIES = """\
- func: filled(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  differentiable: false
  samples: [{self: real(2x3)}]
- func: made(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  samples: [{self: real(2x3)}]
- func: by_formula(Tensor self) -> Tensor
  composite: self * 2
  differentiable: false
  samples: {self: real}
"""
ANYWHERE = """\
- func: anywhere(Tensor self) -> Tensor
  kernels: [every_target]
  differentiable: false
  samples: [{self: real(2x3)}]
"""
KERNELS = """\
#include "opweave/kernels/cpu/filled.h"
#include "opweave/kernels/cpu/made.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/mul.h"
namespace opweave::cpu {
void filled(const Tensor& self, Tensor& out) { opweave::copy_(out, opweave::mul(self, Scalar(2))); }
Tensor made(const Tensor& self) { return opweave::mul(self, Scalar(2)); }
}
"""
KERNELS_ANYWHERE = """\
#include "opweave/kernels/composite/anywhere.h"
#include "opweave/ops/mul.h"
namespace opweave::composite {
Tensor anywhere(const Tensor& self) { return opweave::mul(self, Scalar(2)); }
}
"""
# f(x) * x is differentiated as 2 * x would be, whose factor is a number.
CALLS = """
import opweave as ow, constant
from opweave.func import grad, jvp, vmap
x = ow.ones(2, 3)
def tangent(f):
    return lambda a: jvp(f, (a,), (ow.ones_like(a),))[1]
for name in sys.argv[1].split():
    f = getattr(constant, name)
    line = lambda a: f(a) * a
    ways = {
        "grad": grad(lambda a: line(a).sum()), "jvp": tangent(line), "vmap jvp": vmap(tangent(line)),
        "jvp vmap": tangent(vmap(line)), "vmap grad": vmap(grad(lambda a: line(a).sum())),
        "grad vmap": grad(lambda a: vmap(line)(a).sum()),
        "jvp jvp": lambda a: tangent(tangent(lambda b: line(b) * b))(a) / 2,
        "jvp grad": lambda a: tangent(grad(lambda b: (line(b) * b).sum()))(a) / 2,
    }
    for way, of in ways.items():
        if of(x).tolist() != [[2.0] * 3] * 2:
            print(name, way, of(x).tolist())
    if f(x.clone().requires_grad_()).requires_grad or vmap(f)(x.clone().requires_grad_()).requires_grad:
        print(name, "requires grad")
print("done")
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.mark.parametrize("stable", [False, True], ids=["ordinary", "stable"])
def test_constant_results(user: Installed, tmp_path: Path, stable: bool) -> None:
    kernels = tmp_path / "constant/kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "constant/ops.yaml").write_text(ENTRIES + ("" if stable else ANYWHERE))
    (kernels / "kernels.cc").write_text(KERNELS)
    if not stable:  # which libraries for every release do not have
        (kernels / "anywhere.cc").write_text(KERNELS_ANYWHERE)
    words = ["--stable"] if stable else []
    out = ["--out", "constant/build/constant"]
    built = user.run(*BUILD, *words, *out, "constant", cwd=tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    names = "filled made by_formula" + ("" if stable else " anywhere")
    said = user.prints(
        CALLS.replace("sys.argv[1]", repr(names)), tmp_path, PYTHONPATH="constant/build"
    )
    assert said == "done"
