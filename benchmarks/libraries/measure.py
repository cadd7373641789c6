"""What operators outside of Opweave cost: compiled from YAML, written by hand in C++, and in Python.

    benchmarks/libraries/measure.py

In a Python with the wheel of Opweave. Every figure is the best of several rounds in one thread; where PyTorch
is installed beside, its custom_op is measured in the same run.
"""

import importlib.util
import subprocess
import tempfile
import time
from pathlib import Path

import opweave as ow
from opweave.library import custom_op

ENTRY = """
- func: squareplus_measured(Tensor self, *, Scalar b=4) -> Tensor
  expr: 0.5 * (self + sqrt(self * self + b))
  dtypes: floating
  samples: {self: real, b: positive}
"""
HANDWRITTEN = """
#include <cmath>
#include "opweave/ops/empty_like.h"
#include "runtime/library/library.h"
using opweave::Tensor;
static Tensor squareplus(const Tensor& self, double b) {
  Tensor out = opweave::ops::empty_like::call(self, {}, {}, {}, {}, {});
  const float* x = self.data<float>();
  float* y = out.data<float>();
  for (int64_t i = 0; i < self.numel(); ++i) y[i] = 0.5f * (x[i] + std::sqrt(x[i] * x[i] + float(b)));
  return out;
}
OPWEAVE_LIBRARY(by_hand, library) {
  library.define("squareplus(Tensor self, *, float b=4) -> Tensor");
  library.implement("squareplus", "cpu", &squareplus);
}
"""
ELEMENTS = 30_000_000


def load_handwritten():
    folder = Path(tempfile.mkdtemp())
    (folder / "by_hand.cc").write_text(HANDWRITTEN)
    package = Path(ow.__file__).parent
    command = ["g++", "-std=c++20", "-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC"]
    words = [
        f"-I{package}/include",
        "by_hand.cc",
        f"{package}/lib/libopweave.so",
        "-o",
        "by_hand.so",
    ]
    subprocess.run([*command, *words], cwd=folder, check=True)
    ow.ops.load_library(folder / "by_hand.so")
    return ow.ops.by_hand.squareplus.default


def in_python(x: ow.Tensor, b: float = 4.0) -> ow.Tensor:
    return 0.5 * (x + ow.sqrt(x * x + b))


def torch_operator():
    """custom_op of PyTorch with the same formula; None where there is no PyTorch."""
    if importlib.util.find_spec("torch") is None:
        return None, None
    import torch

    torch.set_num_threads(1)

    def squareplus(x: torch.Tensor, b: float = 4.0) -> torch.Tensor:
        return 0.5 * (x + torch.sqrt(x * x + b))

    return torch.library.custom_op("measured::squareplus", squareplus, mutates_args=()), torch


def best(function, calls, rounds=7):
    """The least seconds of a call."""
    function()
    least = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        least = min(least, (time.perf_counter() - begin) / calls)
    return least


def main():
    ow.set_num_threads(1)
    begin = time.perf_counter()
    compiled = ow.compile_ops(ENTRY).squareplus_measured
    print(f"compile_ops, from the cache if it was run before: {time.perf_counter() - begin:.3f} s")
    operators = {
        "from YAML": compiled,
        "C++ by hand (OPWEAVE_LIBRARY)": load_handwritten(),
        "custom_op": custom_op("measured::squareplus", in_python, mutates_args=()),
    }
    few, many = ow.ones(8), ow.ones(ELEMENTS)
    inputs = dict.fromkeys(operators, (few, many))
    theirs, torch = torch_operator()
    if theirs is not None:
        operators["PyTorch's custom_op"] = theirs
        inputs["PyTorch's custom_op"] = (torch.ones(8), torch.ones(ELEMENTS))
    for name, operator in operators.items():
        small, large = inputs[name]
        call = best(lambda: operator(small), 2000)  # noqa: B023
        seconds = best(lambda: operator(large), 1)  # noqa: B023
        rate = 2 * 4 * ELEMENTS / seconds / 1e9
        print(
            f"{name:<32}{call * 1e9:9.0f} ns a call of 8 {seconds * 1e3:9.1f} ms, {rate:5.1f} GB/s of "
            f"{ELEMENTS:,}"
        )


if __name__ == "__main__":
    main()
