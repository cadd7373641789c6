"""Inputs to begin fuzzing with: the kept ones one by one, for small inputs are tried faster and mixed better.

usage: fuzz_seeds.py TARGET FOLDER
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

# As tests/codegen/fuzz/property.h divides files that hold many inputs.
BETWEEN_FILES = b"\n=== next\n"
DERIVATIVES = b"\n=== derivatives\n"
OF_FILES = ("model", "yaml")
OF_LINES = ("cpp", "expression", "schema", "shapes")


def kept(name: str, tests: Path) -> Iterator[bytes]:
    """The inputs of a target's corpus, which lies beside the target."""
    for path in sorted(tests.glob(f"**/corpus/{name}/*")):
        text = path.read_bytes()
        if name in OF_FILES:
            yield from text.split(BETWEEN_FILES)
        elif name in OF_LINES:
            yield from text.split(b"\n")
        else:
            yield text


def operator_files(tests: Path) -> Iterator[bytes]:
    """Operators and derivatives of the bad inputs and of the goldens."""
    for path in [*sorted(tests.glob("bad_input/*/*/ops.yaml")), tests / "emit/golden/ops.yaml"]:
        derivatives = path.parent / "derivatives.yaml"
        text = path.read_bytes()
        yield text + DERIVATIVES + derivatives.read_bytes() if derivatives.exists() else text


def seeds(name: str, tests: Path) -> set[bytes]:
    found = set(kept(name, tests))
    if name == "model":
        found.update(operator_files(tests / "codegen"))
    return found - {b""}


def main(name: str, into: str) -> None:
    folder = Path(into)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds(name, Path("tests")):
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
