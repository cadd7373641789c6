"""Which public names of PyTorch Opweave lacks, module by module; runs in a Python that has Opweave.

    python tests/reference/lacking_names.py [--all] [MODULE...]

The names are those that record_names.py recorded. What belongs to other parts of the library (complex
numbers, fft, linalg, distributions, sparse and quantized tensors, graphs, distributed training) is left out
unless `--all` is given.
A name counts as there if a program can import it; one that exists to be imported only, and raises when it
is used, is counted apart.
"""

import argparse
import importlib
import re
import warnings

import opweave
import opweave.as_torch
from opweave.as_torch import _lacking

ELSEWHERE = re.compile(
    r"torch\.(ao|cpp|distributed|distributions|export|fft|fx|jit|linalg|masked|mtia|mps|nativert|nested|onnx|package"
    r"|quantization|sparse|special|xpu|testing|csrc|cuda|nn\.(intrinsic|qat|quantizable|quantized)"
    r"|utils\.(benchmark|bottleneck|data\.datapipes|hipify|jit|mkldnn|mobile_optimizer|model_dump|tensorboard|viz"
    r"|serialization|bundled_inputs|_\w+))(\.|$)"
)
# Of them, what this part of the library has to do with.
HERE = re.compile(r"torch\.(distributed\.(algorithms|distributed_c10d)|cuda\.amp)(\.|$)")
# Names of complex numbers, sparse, quantized and nested tensors, and of what compiles programs.
OTHERS = re.compile(
    r"complex|cfloat|cdouble|chalf|sparse|quant|q_(per|scale|zero)|qint|quint|^q_|[_^]fft|stft|coo|cs[rc]|bs[rc]|nested|jagged"
    r"|conj|mkldnn|fbgemm|cudnn|miopen|vulkan|xpu|mtia|hpu|mps|script|symeig|named|names|refine|align_|resolve_neg|view_as_real"
    r"|polar|_indices$|ccol|col_indices|crow|^[A-Z]$|^[A-Z][a-z]*T$|^T_"
)


def module_of(name):
    """The module or class that `torch...` names; None where there is none."""
    if name == "torch.Tensor":
        return opweave.Tensor
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def state_of(module, name):
    """ "there", "named" (it can be imported and raises when it is used), or "lacking"."""
    try:
        value = getattr(module, name)
    except (AttributeError, ImportError):
        return "lacking"
    return (
        "named" if isinstance(value, type) and getattr(value, "_is_name_only", False) else "there"
    )


def in_scope(module, name):
    full = f"{module}.{name}"
    if HERE.match(full):
        return True
    return not (ELSEWHERE.match(module) or ELSEWHERE.match(full) or OTHERS.search(name))


def lacking(everything, only):
    """{module: (names that are lacking, names that can only be imported, how many there are)}"""
    found = {}
    for module, names in sorted(_lacking.pytorch_names().items()):
        if only and module not in only:
            continue
        asked = sorted(n for n in names if everything or in_scope(module, n))
        if not asked:
            continue
        there = module_of(module)
        states = {n: "lacking" if there is None else state_of(there, n) for n in asked}
        found[module] = (
            [n for n, s in states.items() if s == "lacking"],
            [n for n, s in states.items() if s == "named"],
            len(asked),
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="torch.nn, and so on")
    parser.add_argument("--all", action="store_true", help="also what belongs to other parts")
    given = parser.parse_args()
    opweave.as_torch.install()
    warnings.simplefilter("ignore")
    found = lacking(given.all, given.modules)
    for module, (names, named, count) in found.items():
        if names or named:
            print(f"{module}: {len(names)} of {count} lacking: {' '.join(names)}")
            if named:
                print(f"  only to be imported: {' '.join(named)}")
    total = sum(count for _, _, count in found.values())
    print(
        f"{sum(len(names) for names, _, _ in found.values())} of {total} names lacking, "
        f"{sum(len(named) for _, named, _ in found.values())} can only be imported"
    )


if __name__ == "__main__":
    main()
