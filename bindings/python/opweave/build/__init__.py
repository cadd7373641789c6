"""Operator libraries outside of Opweave: from YAML and C++ to a Python package, with the system's compiler.

python -m opweave.build my_ops/        # builds my_ops/build/my_ops
opweave.compile_ops("ops.yaml")        # in a program or a notebook
"""

from opweave.build.builder import build_library, default_folders
from opweave.build.errors import BuildError
from opweave.build.inline import compile_ops
from opweave.build.sources import Sources, read_folder

__all__ = [
    "BuildError",
    "Sources",
    "build_library",
    "compile_ops",
    "default_folders",
    "read_folder",
]
