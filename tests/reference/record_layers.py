"""Records which classes each layer of torch.nn derives from; runs in a Python that has PyTorch.

A line for each public class of torch.nn: its name, and its ancestors in torch.nn by their full names.
"""

from pathlib import Path

import torch

TARGET = Path(__file__).parents[1] / "python/nn/layers_of_pytorch.txt"


def lines():
    for name, cls in sorted(vars(torch.nn).items()):
        if not isinstance(cls, type) or not issubclass(cls, torch.nn.Module):
            continue
        above = [c for c in cls.__mro__[1:] if c.__module__.startswith("torch.nn.")]
        yield f"{name}: {' '.join(f'{c.__module__}.{c.__qualname__}' for c in above)}"


if __name__ == "__main__":
    TARGET.write_text("\n".join(lines()) + "\n")
