"""Records which public names PyTorch has, for opweave.as_torch; runs in a Python that has PyTorch."""

import importlib
import pkgutil
import warnings
from pathlib import Path

import torch

TARGET = Path(__file__).parents[2] / "bindings/python/opweave/as_torch/pytorch_names.txt"
# Packages whose modules are no part of what programs call.
LEFT_OUT = (
    *(
        "_",
        "ao.",
        "contrib.",
        "export.",
        "fx.",
        "jit.",
        "onnx.",
        "package.",
        "quantization.",
        "testing.",
    ),
    *("distributed.pipelining.", "utils.benchmark.", "utils.bottleneck.", "utils.hipify.", "xpu."),
)


def modules():
    """The names of PyTorch's public modules, without `torch.`; those that do not load here are skipped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
            name = found.name.removeprefix("torch.")
            hidden = any(part.startswith("_") for part in name.split("."))
            if hidden or name.startswith(LEFT_OUT) or ".test" in name:
                continue
            try:
                yield name, importlib.import_module(found.name)
            except Exception:
                continue


def public(module):
    """What a module is asked for: what it defines or lists, and no module that it only imports."""
    listed = set(getattr(module, "__all__", ()))
    own = {n for n, v in vars(module).items() if _is_own(v, module)}
    return sorted(n for n in listed | own if not n.startswith("_"))


def _is_own(value, module):
    if type(value) is type(torch):
        return value.__name__.startswith(module.__name__ + ".")
    defined = getattr(value, "__module__", None)
    return isinstance(defined, str) and defined.split(".")[0] == "torch"


def _is_top(name, value):
    """All but modules of others and inner types: C++ does not say where its functions are from."""
    foreign = type(value) is type(torch) and not value.__name__.startswith("torch.")
    inner = getattr(value, "__module__", None) in ("torch._C", "typing", "collections.abc")
    return not (name.startswith("_") or foreign or (inner and isinstance(value, type)))


def main():
    top = [n for n in dir(torch) if _is_top(n, getattr(torch, n))]
    lines = [f"torch: {' '.join(top)}"]
    lines.append(f"torch.Tensor: {' '.join(n for n in dir(torch.Tensor) if not n.startswith('_'))}")
    lines += [f"torch.{name}: {' '.join(public(module))}" for name, module in modules()]
    TARGET.write_text("\n".join(sorted(lines)) + "\n")
    print(f"{TARGET.name}: {len(lines)} modules, {TARGET.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
