"""Links the part of OpenBLAS that our kernels call: a tenth of the whole library, with the same object code.

Left out are routines that nobody calls, kernels of complex numbers, and kernels of processors for which those
of an older one will do.
"""

import argparse
import re
import subprocess
from pathlib import Path

# Whose kernels are kept -> the processors that use them instead of their own.
CORES = {
    "PRESCOTT": [
        *["ATOM", "BARCELONA", "BOBCAT", "CORE2", "DUNNINGTON", "NANO", "NEHALEM", "OPTERON"],
        *["OPTERON_SSE3", "PENRYN"],
    ],
    "SANDYBRIDGE": ["BULLDOZER", "EXCAVATOR", "PILEDRIVER", "STEAMROLLER"],
    "HASWELL": ["ZEN"],
    "SKYLAKEX": ["COOPERLAKE"],
}
# How the code that loads the library names routines, and the functions of OpenBLAS's own.
CALLED = re.compile(r'"([sd][a-z0-9]+_|openblas_\w+)"')
# A kernel in the tables of processors: c and z for complex numbers, x and q for long ones.
NOT_REAL = re.compile(r" [TtVW] ([czxq]\w+_(?:" + "|".join(CORES) + r"))$", re.MULTILINE)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--archive", required=True, type=Path, help="libopenblas.a")
    parser.add_argument("--caller", required=True, type=Path, help="the source that looks names up")
    parser.add_argument("--runtime", required=True, type=Path, help="runtime.cc")
    parser.add_argument("--out", required=True, type=Path)
    return parser.parse_args()


def called_by(source: str) -> list[str]:
    """The functions that `source` looks up in the library, by its string literals."""
    return sorted(set(CALLED.findall(source)))


def kernels_of_complex(archive: Path) -> list[str]:
    run = subprocess.run(["nm", archive], capture_output=True, text=True, check=True)
    return sorted(set(NOT_REAL.findall(run.stdout)))


def linker_script(names: list[str], complex_kernels: list[str]) -> list[str]:
    """Options of the linker, one a line."""
    aliases = [f"gotoblas_{of}=gotoblas_{core}" for core in CORES for of in CORES[core]]
    # Nothing that is exported reaches them: null in the tables, and their objects stay in the archive.
    nulls = [f"{kernel}=0" for kernel in complex_kernels]
    defined = [f"--defsym={entry}" for entry in aliases + nulls]
    return [*defined, *(f"--require-defined={name}" for name in names), "--wrap=getenv"]


def main() -> None:
    options = arguments()
    names = called_by(options.caller.read_text())
    script = options.out.with_suffix(".options")
    exports = options.out.with_suffix(".exports")
    script.write_text("\n".join(linker_script(names, kernels_of_complex(options.archive))))
    exports.write_text("{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n")
    linked = [
        "gcc",
        "-O2",
        "-fPIC",
        "-fno-exceptions",
        "-shared",
        "-fuse-ld=bfd",
        "-o",
        options.out,
    ]
    linked += [
        f"-Wl,-soname,{options.out.name}",
        f"-Wl,--version-script={exports}",
        f"-Wl,@{script}",
    ]
    # Relocations in a few bits each: glibc 2.36 reads them, as the wheel's tag promises.
    linked += ["-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-z,pack-relative-relocs"]
    subprocess.run([*linked, options.runtime, options.archive, "-lm"], check=True)
    script.unlink()
    exports.unlink()


if __name__ == "__main__":
    main()
