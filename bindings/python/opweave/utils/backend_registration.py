"""A device type that programs for PyTorch give a name to; targets here are libraries, which have theirs."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["generate_methods_for_privateuse1_backend", "rename_privateuse1_backend"]
_INSTEAD = "a target is a library of its own, which gives its name: see docs/targets.md"


def rename_privateuse1_backend(backend_name: str) -> NoReturn:
    """Raises: a target gives its name itself."""
    raise NotImplementedError(f"rename_privateuse1_backend({backend_name!r}): {_INSTEAD}")


def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True,
    for_module: bool = True,
    for_packed_sequence: bool = True,
    for_storage: bool = False,
    unsupported_dtype: Any = None,
) -> NoReturn:
    """Raises: methods of a target are there when it is loaded."""
    raise NotImplementedError(f"generate_methods_for_privateuse1_backend(): {_INSTEAD}")
