"""Libraries whose files are damaged: each is refused, and nothing of it is loaded."""

import subprocess
from pathlib import Path

import pytest
from installed import BUILD, Installed, cube


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


def test_damaged_files(user: Installed, tmp_path: Path) -> None:
    """Of what was written by half, or changed, nothing is loaded."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/ops.yaml").write_text(cube())
    words = ("--name", "first", "--out", "first", "--work", "work", "--stable")
    made = user.run(*BUILD, "sources", *words, cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    library = tmp_path / "first/first.so"
    whole = library.read_bytes()
    script = """
import opweave as ow
for load in (lambda: __import__("first"), lambda: ow.ops.load_library("first/first.so")):
    try:
        load()
    except (ImportError, OSError) as error:
        print(type(error).__name__, error)
assert not [n for n in ow._C._operator_names() if n.startswith("first")]
"""
    library.write_bytes(whole[: len(whole) // 2])
    said = user.prints(script, tmp_path).splitlines()
    assert said[0] == (
        f"ImportError {library}: not the file that was built: it is damaged, or library.json beside it is "
        "another library's; build the library again"
    )
    assert said[1] == f"OSError {library}: the file is cut off: build the library again"
    library.unlink()
    assert user.prints(script, tmp_path).splitlines()[0] == (
        f"ImportError {library}: No such file or directory"
    )


TABLES = """\
#include "opweave/stable/abi.h"
const OwLibrary* opweave_library(void) {{
  static const OwLibrary table = {{{size}, 1, 0, 0, {name}}};
  return {given};
}}
"""


@pytest.mark.parametrize(
    ("size", "name", "given"),
    [
        ("sizeof(OwLibrary)", '"t"', "0"),
        ("8", '"t"', "&table"),
        ("sizeof(OwLibrary)", "0", "&table"),
    ],
    ids=["none", "short", "nameless"],
)
def test_damaged_tables(user: Installed, tmp_path: Path, size: str, name: str, given: str) -> None:
    package = user.prints("import opweave; print(opweave.__path__[0])", tmp_path)
    (tmp_path / "t.c").write_text(TABLES.format(size=size, name=name, given=given))
    command = ["cc", "-shared", "-fPIC", f"-I{package}/include", "t.c", "-o", "t.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    script = """
import opweave as ow
try:
    ow.ops.load_library("t.so")
except ImportError as error:
    print(error)
"""
    assert user.prints(script, tmp_path) == f"{tmp_path}/t.so: its table of operators is damaged"
