"""Dtypes are listed in dtypes/dtypes.def and nowhere else."""

import re
import subprocess
from pathlib import Path

# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
ROW = re.compile(r"^OW_DTYPE\((\w+), +(\w+),", re.MULTILINE)
FEW = 3  # dtypes besides bool that a file may name before it counts as a list of them
SOURCES = ("*.cc", "*.h", "*.cu", "*.cuh", "*.def", "*.py", "*.pyi", "*.bzl")
ELSEWHERE = ("tests/", "benchmarks/", "examples/")

# Files that name more, and why these are no lists.
ALLOWED = {
    "dtypes/dtypes.def": "the table",
    "bindings/python/opweave/testing/_leaves.py": "tolerances are a choice, not a fact about the dtype",
    "bindings/python/opweave/utils/tensorboard/_values.py": "tensorboard has names of its own",
    "kernels/cuda/linear_algebra/matmul.cc": "cuBLAS has names of its own for its four types",
    "runtime/distributed/backends/nccl/calls.cc": "NCCL has names of its own for what it reduces",
    "kernels/cuda/pointwise/run.cc": "types with dense kernels",
    "codegen/emit/torch/support/test_operators.py": "tolerances are a choice, not a fact about the dtype",
    "codegen/emit/torch/support/by_operators.h": "the dtypes that kernels for PyTorch take, by its names",
    "codegen/emit/torch/support/dtypes.h": "the dtypes that kernels for PyTorch take, by its names",
    "codegen/emit/jax/support/_rule.py": "the dtypes that functions for JAX compute in, by its names",
    "codegen/emit/jax/support/dtypes.h": "the dtypes that kernels for JAX take, by its names",
    "codegen/emit/jax/support/ffi.h": "XLA has names of its own for the numbers that calls pass",
    "codegen/emit/jax/support/test_operators.py": "tolerances are a choice, not a fact about the dtype",
    "tools/dev/counts.py": "what it looks for, also in revisions that had no table",
    "kernels/cpu/indexing/gather_scatter.cc": "what is counted, and 16 bits that are summed wider",
    "runtime/core/numbers/scalar.h": "the types of Python's numbers",
    "runtime/core/tensor/tensor.cc": "the default type, and the types of Python's numbers",
    "dtypes/promotion.h": "what PyTorch's rules say of single types",
}


def listed():
    """{file: dtypes that it names as enumerators or as texts}"""
    table = ROW.findall((CHECKOUT / "dtypes/dtypes.def").read_text())
    table = [row for row in table if row[0] != "Bool"]
    words = {f"k{id}": name for id, name in table} | {name: name for _, name in table}
    pattern = re.compile(rf"(?<!Kind::)\b({'|'.join(words)})\b(?!\()")
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--", *SOURCES]
    files = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    found = {}
    for file in filter(None, files.stdout.split("\0")):
        if file.startswith(ELSEWHERE) or not (CHECKOUT / file).exists():
            continue
        text = re.sub(r"//.*|^ *#.*", "", (CHECKOUT / file).read_text(errors="replace"), flags=re.M)
        found[file] = {words[word] for word in pattern.findall(text)}
    return found


def test_no_other_file_lists_dtypes():
    found = {file: names for file, names in listed().items() if len(names) > FEW}
    assert {f: sorted(n) for f, n in found.items() if f not in ALLOWED} == {}


def test_every_exception_is_one():
    names = listed()
    assert [file for file in ALLOWED if len(names.get(file, ())) <= FEW] == []
