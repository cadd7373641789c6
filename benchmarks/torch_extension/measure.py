"""What an emitted operator costs beside one written by hand in C++ and one of torch.library.custom_op.

    benchmarks/torch_extension/measure.py FOLDER

FOLDER is examples/torch_library, emitted and built. Every figure is the best of several rounds in one thread.
"""

import sys
import time
from pathlib import Path

import torch
from torch.utils import cpp_extension

sys.path.insert(0, sys.argv[1])
import my_ops

HERE = Path(__file__).parent
ELEMENTS = 30_000_000


def formula(x, b=4.0):
    return 0.5 * (x + torch.sqrt(x * x + b))


@torch.library.custom_op("in_python::squareplus", mutates_args=())
def in_python(x: torch.Tensor, b: float = 4.0) -> torch.Tensor:
    return formula(x, b)


@in_python.register_fake
def _(x, b=4.0):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.b = inputs[1]


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * 0.5 * (1 + x / torch.sqrt(x * x + ctx.b)), None


in_python.register_autograd(backward, setup_context=setup_context)


def rounds(functions, calls, count=7):
    """The least seconds that a call of each takes. They take turns: a busy machine is so for all."""
    best = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    for _ in range(count):
        for name, function in functions.items():
            begin = time.perf_counter()
            for _ in range(calls):
                function()
            best[name] = min(best[name], (time.perf_counter() - begin) / calls)
    return best


def print_rows(title, best, show):
    print(f"\n{title}")
    for name, seconds in best.items():
        print(f"  {name:<28}{show(seconds)}")


def nanoseconds(seconds):
    return f"{seconds * 1e9:8.0f} ns"


def main():
    torch.set_num_threads(1)
    flags = ["-O3", "-march=native", "-fno-math-errno"]
    cpp_extension.load(
        "handwritten", [HERE / "handwritten.cpp"], extra_cflags=flags, is_python_module=False
    )
    handwritten = torch.ops.handwritten.squareplus
    operators = {
        "emitted": my_ops.squareplus,
        "handwritten C++": handwritten,
        "torch.library.custom_op": in_python,
    }
    x = torch.randn(8)
    for function in operators.values():
        torch.testing.assert_close(function(x), formula(x))

    print_rows(
        "a call, 8 elements",
        rounds({n: lambda f=f: f(x) for n, f in operators.items()}, 20000),
        nanoseconds,
    )
    leaf = x.clone().requires_grad_()
    print_rows(
        "a call that is recorded",
        rounds({n: lambda f=f: f(leaf) for n, f in operators.items()}, 10000),
        nanoseconds,
    )
    one = torch.ones(8)
    print_rows(
        "forwards and backwards",
        rounds(
            {n: lambda f=f: torch.autograd.grad(f(leaf), leaf, one) for n, f in operators.items()},
            5000,
        ),
        nanoseconds,
    )

    big = torch.randn(ELEMENTS)
    compiled = torch.compile(formula)
    large = {
        "emitted": my_ops.squareplus,
        "handwritten C++": handwritten,
        "eager": formula,
        "torch.compile": compiled,
    }
    print_rows(
        f"{ELEMENTS:.0e} float32",
        rounds({n: lambda f=f: f(big) for n, f in large.items()}, 1, 9),
        lambda s: f"{s * 1e3:8.1f} ms  {8 * ELEMENTS / s / 1e9:6.1f} GB/s",
    )
    leaf = big.requires_grad_()
    one = torch.ones_like(big)
    print_rows(
        f"{ELEMENTS:.0e} float32, forwards and backwards",
        rounds(
            {n: lambda f=f: torch.autograd.grad(f(leaf), leaf, one) for n, f in large.items()}, 1, 7
        ),
        lambda s: f"{s * 1e3:8.1f} ms",
    )


if __name__ == "__main__":
    main()
