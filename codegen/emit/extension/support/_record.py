"""What a build wrote beside its library, which an import compares before it loads anything."""

import hashlib

AGAIN = "run `pip install --no-build-isolation .` where its setup.py is"


def find_library(package, folder):
    """The compiled library of a package.

    Raises:
        ImportError: there is none.
    """
    binaries = sorted(folder.glob("_C*.so"))
    if not binaries:
        raise ImportError(
            f"{package} has not been built: nothing is called _C*.so in {folder}; {AGAIN}"
        )
    return binaries[0]


def read_record(package, folder, is_right):
    """What the library was compiled for, and its hash: `is_right` says whether words are such.

    Raises:
        ImportError: the record is not there, or something else.
    """
    record = folder / "_built.txt"
    if not record.exists():
        raise ImportError(f"{package} was built by half: there is no {record}; {AGAIN}")
    built = record.read_text(encoding="utf-8", errors="replace").split()
    if not is_right(built):
        raise ImportError(f"{package}: {record} is damaged; {AGAIN}")
    return built


def check_library(package, binary, digest):
    """ImportError unless the library is the one that was built: one that was cut off ends the process."""
    if hashlib.sha256(binary.read_bytes()).hexdigest() != digest:
        raise ImportError(
            f"{package}: {binary} is not the file that was built: it is damaged, or was changed; {AGAIN}"
        )
