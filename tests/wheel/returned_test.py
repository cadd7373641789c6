"""Kernels of a library that return no tensor, in every way of calling them: an error that names the operator.
They lie in the folders that kernels for all targets may have."""

from pathlib import Path

import pytest
from installed import BUILD, Installed

ENTRIES = """\
- func: nothing(Tensor self) -> Tensor
  kernels: [cpu]
  result: data
  differentiable: false
  samples: {self: real}
- func: half_a_list(Tensor self) -> Tensor[]
  kernels: [cpu]
  result: data
  differentiable: false
  samples: {self: real}
- func: sometimes(Tensor self) -> Tensor[]
  kernels: [cpu]
  result: data
  differentiable: false
  samples: {self: real}
- func: nothing_anywhere(Tensor self) -> Tensor
  kernels: [every_target]
  differentiable: false
  samples: {self: real}
- func: nothing_of_calls(Tensor self) -> Tensor
  kernels: [composite]
  samples: {self: real}
"""
KERNEL = """\
#include "opweave/kernels/{target}/{name}.h"
#include "opweave/ops/item.h"
namespace opweave::{target} {{
{returns} {name}([[maybe_unused]] const Tensor& self) {{ return {value}; }}
}}
"""
# (folder, namespace, operator, type, value)
KERNELS = (
    ("", "cpu", "nothing", "Tensor", "{}"),
    ("cpu", "cpu", "half_a_list", "std::vector<Tensor>", "{Tensor(), self}"),
    ("cpu", "cpu", "sometimes", "std::vector<Tensor>",
     "std::vector<Tensor>(opweave::item(self).to<double>() > 0 ? 2 : 1, self)"),
    ("every_target", "composite", "nothing_anywhere", "Tensor", "{}"),
    ("composite/deeper", "composite", "nothing_of_calls", "Tensor", "{}"),
)  # fmt: skip
CALLS = """
import opweave as ow, returning as r
x, of = ow.ones(2), ow.func
def told(call):
    try:
        call()
    except RuntimeError as error:
        print(error)
for f in (r.nothing, r.nothing_anywhere, r.nothing_of_calls):
    told(lambda: f(x, out=ow.empty(2)))
batch = lambda f: of.vmap(f)(ow.ones(3, 2))
for run in (lambda f: f(x), batch, lambda f: of.jacfwd(f)(x), lambda f: of.hessian(f)(x)):
    for f in (r.nothing, r.half_a_list):
        told(lambda: run(f))
told(lambda: of.vmap(r.sometimes)(ow.tensor([1.0, -1.0])))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    folder = home / "returning"
    for place, target, name, returns, value in KERNELS:
        (folder / "kernels" / place).mkdir(parents=True, exist_ok=True)
        text = KERNEL.format(target=target, name=name, returns=returns, value=value)
        (folder / f"kernels/{place}/{name}.cc").write_text(text)
    (folder / "ops.yaml").write_text(ENTRIES)
    return home


def test_no_tensor(home: Path) -> None:
    user = Installed(home / "user")
    built = user.run(*BUILD, "--out", "returning/build/returning", "returning", cwd=home)
    assert built.returncode == 0, built.stdout + built.stderr
    said = user.prints(CALLS, home, PYTHONPATH="returning/build").splitlines()
    names = ["nothing", "nothing_anywhere", "nothing_of_calls", *["nothing", "half_a_list"] * 4]
    assert said[:-1] == [f"{name}(): the kernel returned no tensor" for name in names]
    assert said[-1] == (
        "vmap: the results of returning::sometimes differ in number between the examples: 2 and 1"
    )


# What a kernel does with the result that its rule has made, or gives back as one; and a list that is empty.
MISTAKEN_ENTRIES = """\
- func: emptied(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  differentiable: false
  samples: {self: real}
- func: replaced(Tensor self) -> (Tensor first, Tensor second)
  kernels: [cpu]
  result: {first: self.sizes(), second: self.sizes()}
  differentiable: false
  samples: {self: real}
- func: given_back(Tensor self, Tensor other) -> Tensor
  kernels: [cpu]
  result: data
  samples: {self: real, other: real}
- func: listed(Tensor[] tensors, Tensor other) -> Tensor
  kernels: [cpu]
  result: {sizes: [2], dtype: float64}
  differentiable: false
  samples: [{tensors: [real(2)], other: real(2)}]
"""
MISTAKEN_KERNELS = {
    "emptied": ("void", "const Tensor&, Tensor& out", "out = Tensor();"),
    "replaced": ("void", "const Tensor& self, Tensor&, Tensor& second", "second = self;"),
    "given_back": ("Tensor", "const Tensor& self, const Tensor&", "return self;"),
    "listed": ("void", "TensorList, const Tensor&, Tensor&", ""),
}
MISTAKEN_CALLS = """
import opweave as ow, mistaken as m
x = ow.ones(2)
def told(call):
    try:
        call()
    except RuntimeError as error:
        print(error)
told(lambda: m.emptied(x))
told(lambda: m.emptied(x, out=ow.empty(2)))
told(lambda: m.replaced(x))
told(lambda: m.given_back(x, ow.ones(2, requires_grad=True)))
print(x.requires_grad, x.is_leaf)
told(lambda: m.listed([], x))
print(m.listed([x], x).shape)
"""


@pytest.mark.parametrize("form", ["ordinary", "stable"])
def test_results_that_are_not_the_kernels_own(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "mistaken"
    (folder / "kernels").mkdir(parents=True)
    (folder / "ops.yaml").write_text(MISTAKEN_ENTRIES)
    (folder / "derivatives.yaml").write_text("- name: given_back\n  self: grad\n  other: grad\n")
    for name, (returns, parameters, body) in MISTAKEN_KERNELS.items():
        (folder / f"kernels/{name}.cc").write_text(
            f'#include "opweave/kernels/cpu/{name}.h"\n'
            f"namespace opweave::cpu {{\n{returns} {name}({parameters}) {{ {body} }}\n}}\n"
        )
    user = Installed(tmp_path / "user")
    words = ("--stable",) if form == "stable" else ()
    built = user.run(*BUILD, *words, "--out", "build/mistaken", "mistaken", cwd=tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    said = user.prints(MISTAKEN_CALLS, tmp_path, PYTHONPATH="build").splitlines()
    replaced = "the kernel put another tensor in the place of its result"
    assert [line.split(",")[0] for line in said] == [
        f"emptied(): {replaced}",
        f"emptied(): {replaced}",
        f"replaced(): {replaced}",
        "given_back(): the kernel returned a tensor that is not its own",
        "False True",
        "listed(): expected a non-empty list of Tensors as 'tensors'",
        "opweave.Size([2])",
    ]
