"""Calls of the library `vocabulary`, in Opweave or PyTorch: `python say.py opweave`."""

import importlib
import sys

import vocabulary  # noqa: F401 registers its operators

KINDS = ("runtime", "type", "value", "index", "lacking", "thrown", "data", "dim")


def main():
    ow = importlib.import_module(sys.argv[1])
    told, stretched = ow.ops.vocabulary.told, ow.ops.vocabulary.stretched
    some = {
        "other": 3,
        "weights": [0.5, 2.0],
        "places": [1, 2],
        "maybe": [4],
        "flags": [True, False],
    }
    some |= {
        "mode": "mean",
        "name": "x",
        "dtype": ow.float32,
        "count": 7,
        "scale": 0.5,
        "flag": True,
    }
    x, bias = ow.tensor([1.0, 2.0, 3.0]), ow.tensor([0.5, 0.25, 0.0], dtype=ow.float64)
    print(
        told(x, 2).tolist(), told(x, 2.5, bias, **some).tolist(), told(x, 1, mode="half").tolist()
    )
    for kind in KINDS:
        try:
            told(x, 1, name=kind)
        except Exception as error:
            print(type(error).__name__, str(error).splitlines()[0])
    x = ow.tensor([1.0, 2.0], dtype=ow.float64, requires_grad=True)
    for options in ({}, some | {"parts": [0.25]}):
        result = stretched(x, 2.5, **options)
        print(result.tolist(), ow.autograd.grad(result.sum(), x)[0].tolist())


if __name__ == "__main__":
    main()
