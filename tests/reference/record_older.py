"""Records where PyTorch's own text knows of older files: methods that load states or set those of pickles,
and hooks of loading; runs in a Python that has PyTorch.

Each needs a case of old_states.py, or a reason in tests/python/serialization/test_old_states.py.
"""

import ast
from pathlib import Path

import torch

ROOT = Path(torch.__file__).parent
TARGET = Path(__file__).parents[1] / "python/serialization/knows_of_older_files.txt"
FOLDERS = ("nn", "optim", "amp", "utils/hooks.py", "_tensor.py", "storage.py", "distributed/optim")
LEFT_OUT = ("nn/quant", "nn/intrinsic", "nn/qat")  # of quantised layers, which stand in torch.ao
METHODS = ("__setstate__", "_load_from_state_dict")
HOOKS = ("_register_load_state_dict_pre_hook", "register_load_state_dict_pre_hook")


def _found(node, inside):
    """The full names of such methods, and of what registers hooks, below a node."""
    for child in ast.iter_child_nodes(node):
        here = inside
        if isinstance(child, (ast.ClassDef, ast.FunctionDef)):
            here = f"{inside}.{child.name}"
            if child.name in METHODS:
                yield here
        if isinstance(child, ast.Call) and getattr(child.func, "attr", None) in HOOKS:
            yield f"{inside} registers a hook"
        yield from _found(child, here)


def lines():
    """A line for each, in their order."""
    files = [ROOT / f for f in FOLDERS if f.endswith(".py")]
    files += [p for f in FOLDERS if not f.endswith(".py") for p in sorted((ROOT / f).rglob("*.py"))]
    for path in files:
        relative = path.relative_to(ROOT)
        if not str(relative).startswith(LEFT_OUT):
            module = ".".join(["torch", *relative.with_suffix("").parts])
            yield from _found(ast.parse(path.read_text()), module)


if __name__ == "__main__":
    TARGET.write_text("\n".join(sorted(set(lines()))) + "\n")
