"""The CPU is a target like any other: outside kernels/cpu nothing asks for it by name."""

import re

from lint_test import CHECKOUT, sources

# The lines that do, and why.
NAMED = {
    "runtime/core/devices/device.h": (
        4,
        "its number, and what it stands for: where tensors are made when nothing is said, and the memory "
        "that the program itself addresses",
    ),
    "bindings/python/core/libraries/operator_library.cc": (
        1,
        "the generated kernels of an operator library are the CPU's",
    ),
    "codegen/emit/torch/support/pointwise.h": (
        1,
        "what is emitted for PyTorch: a kernel for its CPU",
    ),
    "codegen/emit/torch/support/rules.h": (1, "PyTorch's device, until a result has its own"),
    "bindings/python/core/tensor/tensor_attributes.cc": (1, "Tensor.is_cpu, a name of PyTorch's"),
}
BY_NAME = re.compile(r"\b(kCPU|is_cpu)\b")


# The same in the Python package.
NAMED_IN_PYTHON = {
    "bindings/python/opweave/backends/__init__.py": (1, "the name of a module of PyTorch's"),
    "bindings/python/opweave/distributed/_backends.py": (9, "PyTorch's table of backends by type"),
    "bindings/python/opweave/distributed/run/values.py": (1, "a word of torchrun's"),
    "bindings/python/opweave/amp/_settings.py": (12, "PyTorch's older names for its settings"),
    "bindings/python/opweave/amp/autocast_mode.py": (2, "documentation"),
    "bindings/python/opweave/_targets.py": (1, "built-in targets need no library"),
    "bindings/python/opweave/build/sources.py": (1, "what operator libraries are always built for"),
    "bindings/python/opweave/nn/parameter.py": (1, "the name of a method"),
    "bindings/python/opweave/_custom_ops/library.py": (1, "documentation of dispatch keys"),
    "bindings/python/opweave/library.py": (1, "documentation of dispatch keys"),
}
BY_TEXT = re.compile(r"""["']cpu["']""")


def lines_naming_the_cpu(text: str) -> int:
    return sum(bool(BY_NAME.search(line)) for line in text.splitlines())


def test_nobody_asks_for_the_cpu() -> None:
    patterns = [
        f"{folder}/*.{end}"
        for folder in ("runtime", "kernels", "bindings", "codegen")
        for end in ("cc", "h", "cu", "cuh")
    ]
    found = {
        name: count
        for name in sources(*patterns)
        if not name.startswith("kernels/cpu/")
        and (count := lines_naming_the_cpu((CHECKOUT / name).read_text(errors="replace")))
    }
    allowed = {name: count for name, (count, _) in NAMED.items()}
    assert found == allowed, (
        "ask the target instead (runtime/core/devices/devices.h: is_host, is_accelerator, host_device, "
        "default_device), or dispatch"
    )


def test_nobody_asks_for_the_cpu_in_python() -> None:
    found = {}
    for name in sources("bindings/python/opweave/*.py"):
        text = (CHECKOUT / name).read_text()
        if count := sum(bool(BY_TEXT.search(line)) for line in text.splitlines()):
            found[name] = count
    allowed = {name: count for name, (count, _) in NAMED_IN_PYTHON.items()}
    assert found == allowed, "ask _C._is_host(device) or _C._default_device()"


def test_what_counts() -> None:
    assert lines_naming_the_cpu("if (t.is_cpu()) f();\nmake_tensor({2}, kFloat, kCPU);\n") == 2
    assert lines_naming_the_cpu("if (is_host(device)) f();\n") == 0
