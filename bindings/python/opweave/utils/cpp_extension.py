"""Extensions in C++, after torch.utils.cpp_extension: refused, with what to do instead."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable
from typing import NoReturn, Self

__all__ = [
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "check_compiler_is_gcc",
    "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version",
    "get_cxx_compiler",
    "get_default_build_root",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
    "remove_extension_h_precompiler_headers",
    "verify_ninja_availability",
]
CUDA_HOME = os.environ.get("CUDA_HOME")
ROCM_HOME = None


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"utils.cpp_extension.{name}: extensions are written against PyTorch's C++ library, which is not "
        "here. Operators in C++ are declared in YAML and built by `python -m opweave.build FOLDER`, or by "
        "opweave.build.compile_ops() while a program runs: see docs/own_operators.md"
    )


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args, **kwargs):
        _refuse(name)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Raises: opweave.build makes operators in C++."
    return refuse


CppExtension = _refusing("CppExtension")
CUDAExtension = _refusing("CUDAExtension")
SyclExtension = _refusing("SyclExtension")
load = _refusing("load")
load_inline = _refusing("load_inline")
include_paths = _refusing("include_paths")
library_paths = _refusing("library_paths")
remove_extension_h_precompiler_headers = _refusing("remove_extension_h_precompiler_headers")
get_compiler_abi_compatibility_and_version = _refusing("get_compiler_abi_compatibility_and_version")


class BuildExtension:
    """In a setup.py: raises when it is made; opweave.build makes operators in C++."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        _refuse("BuildExtension")

    @classmethod
    def with_options(cls, **options: object) -> type[Self]:
        """The class, for a setup.py."""
        return cls


def get_cxx_compiler() -> str:
    """The C++ compiler that the environment names, or c++."""
    return os.environ.get("CXX", "c++")


def check_compiler_is_gcc(compiler: str) -> bool:
    """Whether a command is GCC's."""
    return "g++" in os.path.basename(os.path.realpath(shutil.which(compiler) or compiler))


def check_compiler_ok_for_platform(compiler: str) -> bool:
    """Whether there is such a command."""
    return shutil.which(compiler) is not None


def get_default_build_root() -> str:
    """Where extensions would be built."""
    return os.environ.get("TORCH_EXTENSIONS_DIR", os.path.expanduser("~/.cache/torch_extensions"))


def is_ninja_available() -> bool:
    """Whether ninja is there, which builds operators."""
    return shutil.which("ninja") is not None or importlib.util.find_spec("ninja") is not None


def verify_ninja_availability() -> None:
    """Raises RuntimeError where it is not."""
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions")
