"""tools/dev/counts.py on a small checkout whose numbers are known."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path("tools/dev/counts.py").resolve()
FILES = {
    "ops.yaml": """\
- object: Generator
  python: opweave.Generator
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self + other
- func: mm(Tensor self, Tensor mat2) -> Tensor
  kernels: [native]
- func: mv(Tensor self, Tensor vec) -> Tensor
  kernels: [cpu, meta]
- func: nonzero(Tensor self) -> Tensor
  kernels: [cpu]
  result: data
- func: twice(Tensor self) -> Tensor
  kernels: [composite]
- func: thrice(Tensor self) -> Tensor
  kernels: [composite]
""",
    "docs/architecture.md": "`batching_rules.cc`\n",
    "runtime/core/types.h": "kByte kShort kInt\n// bfloat16\n",
    "runtime/core/sums.h": "int64_t kByte\n",
    "runtime/core/bfloat.cc": "BFloat16\n",
    "runtime/forward/call.cc": "kForward\n",
    "runtime/dispatch/table.cc": """\
kForward kBatched find("add.Tensor") find("add")  // "mm"
"mm(Tensor a, Tensor b) -> Tensor"
""",
    "codegen/emit/functionalities/batching_rules.cc": 'emit("batching/rules");\n',
    "codegen/emit/output/emit.cc": "emit_batching_rules();\n",
    "tests/selection/BUILD": '"batching/rules_00.cc"\n',
    "tests/other.cc": 'find("mm") kForward kByte kShort kInt\n',
    "kernels/composite/all.cc": """\
Tensor twice(const Tensor& self) {
  // Two of them.
  return opweave::add(self, self);
}
Tensor thrice(const Tensor& self) { return opweave::add(self, twice(self)); }
Tensor mv(const Tensor& self,
          const Tensor& vec) {
  check(self);
  return mm(self, vec);
}
static Tensor helper() { return {}; }
""",
    "bindings/python/opweave/nn/functional.py": """\
def relu(x):
    return call("mm", x)


def _part():
    pass
""",
    "bindings/python/opweave/_sums.py": """\
from opweave import _parts
from opweave._results import with_out as _with_out


@_with_out
def total(x, *, out=None):
    return _parts.of(x)


@_with_out
def _half(x, *, out=None):
    pass
""",
    "bindings/python/opweave/_parts.py": "def of(x):\n    from opweave._sums import total\n",
    "bindings/python/opweave/_alone.py": "import opweave._parts\nfrom opweave import _C\n",
    # What is compiled is no circle, though its name is looked up in the package.
    "bindings/python/opweave/_C.pyi": "def add() -> None: ...\n",
    "bindings/python/opweave/__init__.py": "from opweave import _alone\n",
    "kernels/cpu/sum.cc": '#include "kernels/cpu/lines.h"\n#include "opweave/ops/add.h"\n',
    "kernels/cuda/sum.cu": '#include "kernels/cpu/lines.h"\n',
    "codegen/cli/main.cc": "if (emit_jax) return;\n",
    "codegen/emit/jax/output.cc": "emit_jax();\n",
}


# Runfiles are links into the checkout.
REAL = Path("pyproject.toml").resolve().parent


@pytest.fixture
def checkout(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def counted(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_table(checkout):
    lines = counted(checkout, checkout).splitlines()
    numbers = {line[:42].strip(): line[42:].split() for line in lines}
    assert numbers == {
        "files that list dtypes": ["2"] * 2,
        "files outside forward mode that name it": ["1"] * 2,
        "files outside vmap that name it": ["1"] * 2,
        "files that name one emitter": ["4"] * 2,
        "operators named by strings in code": ["3"] * 2,
        "operators that name a target": ["2"] * 2,
        "composite kernels that are one return": ["2"] * 2,
        "functions of nn.functional by hand": ["1"] * 2,
        "operators without a meta kernel": ["1"] * 2,
        "operators whose result the data decide": ["1"] * 2,
        "files outside kernels/cpu that include it": ["1"] * 2,
        "hardware kernels that call operators": ["1"] * 2,
        "generator's files that know one output": ["1"] * 2,
        "operators written in Python": ["1"] * 2,
        "modules of Python in import circles": ["2"] * 2,
    }


def test_the_list_says_which(checkout):
    text = counted("--list", checkout)
    assert "    runtime/dispatch/table.cc: mm(Tensor a, Tensor b) -> Tensor\n" in text
    assert "    kernels/composite/all.cc: thrice\n" in text
    assert "operators without a meta kernel" + " " * 18 + "1\n    mm\n" in text


def test_the_real_checkout_has_all_of_them():
    numbers = {line[:42].strip(): int(line[42:]) for line in counted(REAL).splitlines()}
    assert len(numbers) == 15
    assert numbers["operators that name a target"] == 0
    assert numbers["operators without a meta kernel"] == 0
    assert numbers["operators whose result the data decide"] > 5
