"""The compiler, its options and ninja."""

import itertools
import os
import shlex
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from opweave.build._flags import CODE_GENERATION
from opweave.build.errors import BuildError, words_of
from opweave.build.installation import INCLUDE

_COMPILERS = ("g++", "c++", "clang++")
_OF_GCC_ALONE = "-fvect-cost-model="
_OPTIMISATION = ("-std=c++20", "-O2", "-DNDEBUG", "-fPIC")


@dataclass(frozen=True)
class Toolchain:
    """Commands as lists of words; `compiler` may be several ("ccache g++ -m64")."""

    compiler: list[str]
    ninja: str

    def compile_words(self, generated):
        """How a file is compiled, without its name; `generated` is the folder of generated headers."""
        python = sysconfig.get_paths()["include"]
        flags = words_of("CXXFLAGS")
        return [
            *(*self.compiler, *_OPTIMISATION, *self._code_generation(), *flags),
            *(f"-I{generated}", f"-I{INCLUDE}", f"-isystem{python}"),
        ]

    def _code_generation(self):
        """As ours is compiled, in words that the compiler knows."""
        is_clang = "clang" in self.program().resolve().name  # also where it is called c++
        return [
            word for word in CODE_GENERATION if not (is_clang and word.startswith(_OF_GCC_ALONE))
        ]

    def program(self):
        """The compiler itself, behind what starts it and before its options."""
        return Path(_programs(self.compiler)[-1])

    def link_words(self):
        """How objects become a library, without their names and the libraries that they need."""
        flags = words_of("LDFLAGS")
        return [*self.compiler, "-shared", "-s", *flags]

    def identity(self):
        """Changes with the compiler, as far as that can be told without running it."""
        status = self.program().resolve().stat()
        return [
            *self.compile_words(""),
            *self.link_words(),
            str(status.st_size),
            str(status.st_mtime_ns),
        ]


def _programs(words):
    return list(itertools.takewhile(lambda word: not word.startswith("-"), words))


def _found(given):
    """The words of CXX, with the programs as paths."""
    words = words_of("CXX")
    programs = _programs(words)
    if not programs:
        raise BuildError(f"CXX={given}: expected the name of a compiler first")
    paths = [shutil.which(name) for name in programs]
    if None in paths:
        missing = programs[paths.index(None)]
        raise BuildError(f"CXX={given}: there is no program '{missing}' on the PATH")
    return [*paths, *words[len(programs) :]]


def _find_compiler():
    if given := os.environ.get("CXX", ""):
        return _found(given)
    for name in _COMPILERS:
        if path := shutil.which(name):
            return [path]
    raise BuildError(
        f"there is no C++ compiler: looked for {', '.join(_COMPILERS)} on the PATH, and CXX is not set; "
        "on Debian 'apt install g++' installs one"
    )


def _find_ninja():
    if path := shutil.which("ninja"):
        return path
    try:
        import ninja  # its wheel, whose scripts are on no PATH
    except ImportError:
        raise BuildError(
            "there is no ninja, which runs the compiler: 'pip install ninja' or 'apt install "
            "ninja-build' installs it"
        ) from None
    return str(Path(ninja.BIN_DIR, "ninja"))


def _check_compiler(words):
    """That it knows C++20 and half precision, before it says so a hundred times."""
    command = [*words, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    text = "#include <concepts>\n#include <span>\nint f(std::integral auto x) { return x; }\n"
    text += "float g(_Float16 x) { return static_cast<float>(x); }\n"
    try:
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(
            f"the C++ compiler '{shlex.join(words)}' cannot be run: {error.strerror}"
        ) from None
    if result.returncode != 0:
        first = (result.stderr.strip() or f"status {result.returncode}").splitlines()[0]
        raise BuildError(
            f"the C++ compiler '{shlex.join(words)}' cannot compile C++20 with _Float16: {first}; "
            "expected gcc 12 or clang 15 or later, or CXX to name another"
        )


def find_toolchain(check=False):
    """The compiler (CXX, or the first of g++, c++, clang++) and ninja.

    Args:
        check: whether to try the compiler.

    Raises:
        BuildError: what is missing, and how to get it.
    """
    toolchain = Toolchain(_find_compiler(), _find_ninja())
    if shutil.which("nm") is None:
        raise BuildError(
            "there is no nm on the PATH, which lists what a library defines and calls: on Debian 'apt "
            "install binutils' installs it"
        )
    header = Path(sysconfig.get_paths()["include"], "Python.h")
    if not header.exists():
        raise BuildError(
            f"{header} is missing, which libraries for Python are compiled with; "
            "on Debian 'apt install python3-dev' installs it"
        )
    if check:
        _check_compiler(toolchain.compiler)
    return toolchain
