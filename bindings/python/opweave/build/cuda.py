"""The CUDA toolkit: where it is, how nvcc compiles kernels, and what they are linked with."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from opweave.build._flags import CUDA_ARCHITECTURES, CUDA_CODE_GENERATION
from opweave.build.errors import BuildError, words_of

_HOMES = ("CUDA_HOME", "CUDA_PATH")
_DEFAULT_HOME = "/usr/local/cuda"
_OPTIMISATION = ("-std=c++20", "-O2", "-DNDEBUG", "-Xcompiler", "-fPIC")
# In kernels that people write.
WARNINGS = ("-Xcompiler", "-Wall")


@dataclass(frozen=True)
class Cuda:
    """A toolkit by its folder."""

    home: Path

    @property
    def nvcc(self):
        return self.home / "bin" / "nvcc"

    def headers(self):
        """The folders of its headers."""
        return [self.home / "include", *(p for p in [self.home / "include/cccl"] if p.is_dir())]

    def compile_words(self, compiler, folders, defines=()):
        """How nvcc compiles a file, without its name; `compiler` is that of C++, `folders` are of headers."""
        host = [f"-ccbin={compiler}"]
        flags = words_of("NVCC_APPEND_FLAGS")
        return [
            *(str(self.nvcc), *host, *_OPTIMISATION, *CUDA_CODE_GENERATION, *flags, *defines),
            *(word for arch in architectures() for word in _machine_code(arch)),
            *_portable_code(architectures()[-1]),
            *(f"-I{folder}" for folder in folders),
        ]

    def link_words(self):
        """What objects of nvcc need: its runtime, which they bring along."""
        folders = [f for f in (self.home / "lib64", self.home / "lib") if f.is_dir()]
        return [*(f"-L{f}" for f in folders), "-lcudart_static", "-ldl", "-lrt", "-lpthread"]

    def identity(self):
        """Changes with the toolkit, as far as that can be told without running it."""
        status = self.nvcc.resolve().stat()
        flags = os.environ.get("NVCC_APPEND_FLAGS", "")
        return [
            *architectures(),
            flags,
            str(self.nvcc),
            str(status.st_size),
            str(status.st_mtime_ns),
        ]


def _machine_code(arch):
    return (f"-gencode=arch=compute_{arch},code=sm_{arch}",)


def _portable_code(arch):
    return (f"-gencode=arch=compute_{arch},code=compute_{arch}",)


def architectures():
    """The compute capabilities that code is made for: CUDAARCHS ("80;90"), or Opweave's own.

    Raises:
        BuildError: CUDAARCHS is no such list.
    """
    given = os.environ.get("CUDAARCHS")
    if not given:
        return CUDA_ARCHITECTURES
    names = re.split(r"[;, ]+", given.strip("; ,"))
    if not all(re.fullmatch(r"\d{2,3}[a-z]?", name) for name in names):
        raise BuildError(f"CUDAARCHS={given}: expected compute capabilities such as '80;90'")
    return names


def _looked_at():
    """Folders in the order in which they are asked, with what names them."""
    for variable in _HOMES:
        if home := os.environ.get(variable):
            yield f"{variable}={home}", Path(home)
            return
    if path := shutil.which("nvcc"):
        yield "nvcc on the PATH", Path(path).resolve().parent.parent
    yield _DEFAULT_HOME, Path(_DEFAULT_HOME)


def _usable(home):
    return os.access(home / "bin" / "nvcc", os.X_OK) and (home / "include/cuda_runtime.h").exists()


def find_cuda():
    """The toolkit that CUDA_HOME or CUDA_PATH names, or that of nvcc on the PATH, or /usr/local/cuda.

    Raises:
        BuildError: there is none, where it was looked for, and what to do.
    """
    for _, home in _looked_at():
        if _usable(home):
            return Cuda(home)
    asked = [name for name, _ in _looked_at()]
    if len(asked) == 1 and "=" not in asked[0]:
        asked.insert(0, "the PATH for nvcc")
    raise BuildError(
        f"there is no CUDA toolkit, whose nvcc compiles kernels for the target 'cuda': looked at "
        f"{', '.join(asked)} for bin/nvcc and include/cuda_runtime.h; install one or name it in CUDA_HOME, "
        "or build without: --targets cpu"
    )
