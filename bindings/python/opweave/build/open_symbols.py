"""What a linked library calls and nobody defines: the loader would find it out, in words of its own."""

import ctypes
import re
import subprocess
from pathlib import Path

from opweave.build.errors import BuildError

_NEEDED = re.compile(r"\(NEEDED\).*\[(?P<name>[^\]]+)\]")
_KERNEL_HEADER = re.compile(r'^\s*#\s*include\s*"opweave/kernels/\w+/(\w+)\.h"', re.MULTILINE)


def _said(*command, text=None):
    result = subprocess.run(command, capture_output=True, text=True, check=True, input=text)
    return result.stdout


def _wanted(library):
    """The symbols that a library does not define, but for those that may be missing."""
    lines = _said("nm", "--dynamic", "--undefined-only", str(library)).splitlines()
    words = [line.split() for line in lines]
    return {w[-1].partition("@")[0] for w in words if len(w) > 1 and w[-2] == "U"}


def _handles(library, against):
    """All that is loaded with a library; None where that cannot be found out."""
    names = [
        match["name"] for match in _NEEDED.finditer(_said("readelf", "--dynamic", str(library)))
    ]
    known = {path.name for path in against}
    try:
        return [
            ctypes.CDLL(None),
            *(ctypes.CDLL(str(path)) for path in against),
            *(ctypes.CDLL(name) for name in names if name not in known),
        ]
    except OSError:
        return None


def open_symbols(library, against):
    """Names, as C++ writes them, of what a library needs and nothing that is loaded with it has.

    Args:
        library: its path.
        against: the libraries of the core, which are loaded.
    """
    handles = _handles(library, against)
    if handles is None:
        return []

    def is_there(name):
        for handle in handles:
            try:
                handle[name]
            except AttributeError:
                continue
            return True
        return False

    missing = sorted(name for name in _wanted(library) if not is_there(name))
    return _said("c++filt", text="\n".join(missing)).splitlines() if missing else []


def _naming(symbol, kernels):
    """The files that name a function."""
    function = re.search(r"(\w+)(?:\[abi:\w+\])?(?:\(|$)", symbol)
    word = re.compile(rf"\b{function[1]}\b") if function else None
    return [p for p in kernels if word and word.search(Path(p).read_text(errors="replace"))]


def check_open_symbols(library, against, kernels, operators, entry_lines):
    """That whatever handwritten code calls is defined.

    Args:
        library, against: as above.
        kernels: paths of the handwritten files.
        operators: by their names in C++.
        entry_lines: shows the entry of one.

    Raises:
        BuildError: it is not, with the operator and the file of each call.
    """
    texts = []
    for symbol in open_symbols(library, against):
        files = _naming(symbol, kernels)
        headers = [_KERNEL_HEADER.findall(Path(f).read_text(errors="replace")) for f in files]
        op = next((operators[n] for names in headers for n in names if n in operators), None)
        where = f", which {' and '.join(map(str, files))} names" if files else ""
        what = f"the kernel of '{op['name']}' calls" if op else "the library calls"
        place, entry = (f"{op['place']}: ", entry_lines(op)) if op else ("", "")
        texts.append(
            f"{place}error: {what} {symbol}{where}, and nothing defines it\n{entry}"
            "  what is compiled is kernels/*.cc and kernels/cpu/: define it there, or name the library that "
            "has it in LDFLAGS\n"
        )
    if texts:
        raise BuildError("".join(texts).rstrip())
