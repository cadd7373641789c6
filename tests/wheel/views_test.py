"""Views of operator libraries lie in the memory of what they view, however they are made: by a rule, in
place, by a kernel by hand, under vmap, without data; what a rule says of new results is memory that holds
them."""

from pathlib import Path

import pytest
from installed import BUILD, Installed

ENTRIES = """\
- func: vbig(Tensor(a) self, int n) -> Tensor(a)
  roles: {n: number}
  kernels: [view]
  differentiable: false
  samples: [{self: real(6), n: 3}]
  result: {sizes: "[n]", strides: "[1]", offset: self.storage_offset()}
- func: vbig_(Tensor(a!) self, int n) -> Tensor(a!)
  roles: {n: number}
  variants: method
  kernels: [view]
  differentiable: false
  result: "vbig(self, n)"
- func: vat(Tensor(a) self, int offset) -> Tensor(a)
  roles: {offset: number}
  kernels: [view]
  differentiable: false
  samples: [{self: real(6), offset: 0}]
  result: {sizes: self.sizes(), strides: self.strides(), offset: offset}
- func: vstep(Tensor(a) self, int step) -> Tensor(a)
  roles: {step: number}
  kernels: [view]
  differentiable: false
  samples: [{self: real(6), step: 1}]
  result: {sizes: self.sizes(), strides: "[step]", offset: self.storage_offset()}
- func: vuneven(Tensor(a) self, int n) -> Tensor(a)
  roles: {n: number}
  kernels: [view]
  differentiable: false
  samples: [{self: real(6), n: 3}]
  result: {sizes: "[n]", strides: self.strides(), offset: self.storage_offset()}
- func: vhand(Tensor(a) self, int n, int step, int offset) -> Tensor(a)
  roles: {n: number, step: number, offset: number}
  kernels: [every_target]
  require: calls
  differentiable: false
  samples: [{self: real(6), n: 3, step: 1, offset: 0}]
- func: made(Tensor self, int step) -> Tensor
  roles: {step: number}
  kernels: [cpu]
  differentiable: false
  samples: [{self: real(6), step: 1}]
  result: {sizes: "[3, 5]", strides: "[step, 3]"}
"""
EVERY_TARGET = """\
#include "opweave/kernels/composite/vhand.h"

namespace opweave::composite {
Tensor vhand(const Tensor& self, int64_t n, int64_t step, int64_t offset) {
  return make_alias(self, {n}, {step}, offset);
}
}  // namespace opweave::composite
"""
CPU = """\
#include "opweave/kernels/cpu/made.h"

namespace opweave::cpu {
void made(const Tensor&, int64_t, Tensor&) {}
}  // namespace opweave::cpu
"""

# The call of `x`, six floats, and what it says.
OUTSIDE = "are out of bounds for storage of size 24"
NEGATIVE = ", of which strides and the offset may not be negative, are out of bounds for storage of size 24"
REFUSED = {
    "views.vbig(x, 100)": (
        "vbig(): sizes [100], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 400 "
        + OUTSIDE
    ),
    "views.vbig(x, 10_000_000).fill_(1)": OUTSIDE,
    "views.vbig(x, 2**62)": "requiring a storage size of more than 2^63 " + OUTSIDE,
    "views.vbig(x, -1)": "Trying to create tensor with negative dimension -1",
    "views.vbig(x[3:], 4)": OUTSIDE,
    "x.vbig_(100)": "vbig_(): sizes [100], strides [1], storage offset 0",
    "x.view(2, 3).vbig_(7)": OUTSIDE,
    "views.vat(x, -1)": "vat(): sizes [6], strides [1], storage offset -1" + NEGATIVE,
    "views.vat(x, 1)": OUTSIDE,
    "views.vat(x[:0], -1)": NEGATIVE,
    "views.vstep(x, -1)": "vstep(): sizes [6], strides [-1], storage offset 0" + NEGATIVE,
    "views.vstep(x, 2)": OUTSIDE,
    "views.vuneven(x.view(1, 1, 1, 1, 1, 1, 1, 1, 6), 6)": (
        "vuneven(): mismatch in length of strides and shape: got 9 strides"
    ),
    "views.vuneven(x[0], 1)": "mismatch in length of strides and shape: got 0 strides",
    "views.vhand(x, 7, 1, 0)": "vhand(): sizes [7], strides [1], storage offset 0",
    "views.vhand(x, 3, -1, 2)": "vhand(): sizes [3], strides [-1], storage offset 2" + NEGATIVE,
    "views.vhand(x, 1, 1, 6)": OUTSIDE,
    "views.vhand(x, 1, -7, 5)": NEGATIVE,
    "views.vstep(x[:1], -1)": NEGATIVE,
    "views.vstep(x[:0], -1)": NEGATIVE,
    "views.made(x, -1)": "made(): strides must not be negative: got [-1, 3] for the sizes [3, 5]",
    "ow.ops.views.vbig(x, 100)": OUTSIDE,
    "views.vbig(x.to('meta'), 100)": OUTSIDE,
    "ow.func.vmap(lambda r: views.vbig(r, 4))(x.view(2, 3))": "no memory of its own",
    "views.vbig(x.requires_grad_(), 100)": OUTSIDE,
    "views.vbig(x, 6)": "",
    "views.vbig(x[3:], 3)": "",
    "views.vat(x[:0], 100)": "",
    "views.made(x, 1)": "",
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def home(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "views/kernels/cpu").mkdir(parents=True)
    (folder / "views/ops.yaml").write_text(ENTRIES)
    (folder / "views/kernels/vhand.cc").write_text(EVERY_TARGET)
    (folder / "views/kernels/cpu/made.cc").write_text(CPU)
    said = user.run(*BUILD, "views", cwd=folder)
    assert said.returncode == 0, said.stderr
    return folder


@pytest.mark.parametrize("call", REFUSED)
def test_views(user: Installed, home: Path, call: str) -> None:
    """The call is refused with the text, or taken where there is none; the tensor stays as it is."""
    script = f"""
import opweave as ow, views
x = ow.arange(6.0)
try:
    {call}
except RuntimeError as error:
    print(error)
assert x.tolist() == [0, 1, 2, 3, 4, 5], x
"""
    said = user.prints(script, home, PYTHONPATH="views/build")
    assert REFUSED[call] in said
    assert bool(said) == bool(REFUSED[call])


def test_check_says_what_it_can_decide(user: Installed, tmp_path: Path) -> None:
    """Constants, and the views of samples."""
    wrong = ENTRIES.replace("offset: offset}", "offset: -1}").replace(
        "n: 3}]\n  result: {sizes", "n: 7}]\n  result: {sizes"
    )
    (tmp_path / "views").mkdir()
    (tmp_path / "views/ops.yaml").write_text(wrong.partition("- func: vhand")[0])
    said = user.refusal(*BUILD, "views", cwd=tmp_path)
    assert "views/ops.yaml:18:66: error[OW0206]: the offset of a view is at least 0, not -1" in said
    (tmp_path / "views/ops.yaml").write_text(wrong.partition("- func: vbig_")[0])
    said = user.refusal(*BUILD, "views", cwd=tmp_path)
    assert (
        "error[OW0206]: 'vbig' makes a view outside of its tensor's memory: sizes [7], strides [1] and "
        "offset 0 of 'self', which has 6 elements"
    ) in said
