"""Matrix products against oneDNN itself, convolution against PyTorch."""

import opweave
import torch
from baseline import matmul_primitive, sgemm
from measure import Pair, best_of, statement
from rows import add_row, row


def _mm(size: int):
    def prepare() -> Pair:
        opweave.manual_seed(0)
        a, b = opweave.randn(size, size), opweave.randn(size, size)
        ours = statement("mm(a, b)", mm=opweave.mm, a=a, b=b)
        return Pair(ours, best_of(sgemm(size), matmul_primitive(size)))

    return prepare


for _size in (64, 256, 1024, 2048):
    add_row(f"mm at {_size}", "oneDNN", 1.08, _mm(_size))


def _conv(xp):
    xp.manual_seed(0)
    operands = {"x": xp.randn(32, 64, 56, 56), "w": xp.randn(64, 64, 3, 3)}
    return statement("f(x, w, padding=1)", f=xp.nn.functional.conv2d, **operands)


@row("conv2d 32x64x56x56, 3x3", "PyTorch", 1.0)
def _() -> Pair:
    return Pair(_conv(opweave), _conv(torch))
