"""The type stubs say what the running module has."""

import ast
import os
import pwd
import shutil
import subprocess
from pathlib import Path

import opweave
import pytest

PACKAGE = Path(opweave.__file__).parent
TOOLS = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache/opweave/tools/bin"


def _stub(name):
    return ast.parse((PACKAGE / f"{name}.pyi").read_text())


def _class(tree, name):
    (found,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    return found


def _functions(body):
    return {n.name for n in body if isinstance(n, ast.FunctionDef)}


def _names(body):
    annotated = {n.target.id for n in body if isinstance(n, ast.AnnAssign)}
    return annotated | _functions(body) | {n.name for n in body if isinstance(n, ast.ClassDef)}


def test_generated_functions_exist():
    functions = _functions(_stub("_generated").body)
    assert len(functions) > 100
    assert [f for f in functions if not hasattr(opweave, f)] == []


def test_generated_methods_exist():
    methods = _functions(_class(_stub("_generated"), "TensorMethods").body)
    assert len(methods) > 100
    assert [m for m in methods if not hasattr(opweave.Tensor, m)] == []


def test_handwritten_names_exist():
    extension = _names(_stub("_C").body) | _names(_stub("_dtypes").body)
    extension -= {"DtypeMethods", "TensorMethods"}
    assert [n for n in extension if not hasattr(opweave._C, n)] == []
    top = {n for n in _names(_stub("__init__").body) if not n.startswith("_")}
    assert [n for n in top if not hasattr(opweave, n)] == []


def test_every_dtype_and_layout_has_a_stub():
    kinds = (opweave.dtype, opweave.layout, opweave.memory_format)
    values = {n for n, value in vars(opweave._C).items() if isinstance(value, kinds)}
    assert values - _names(_stub("_C").body) - _names(_stub("_dtypes").body) == set()


def test_everything_has_a_stub():
    c = _stub("_C")
    known = _functions(_class(_stub("_generated"), "TensorMethods").body)
    known |= _functions(_class(_stub("_dtypes"), "DtypeMethods").body)
    known |= _names(_class(c, "TensorBase").body) | _names(_class(c, "Tensor").body)
    public = {n for n in dir(opweave.Tensor) if not n.startswith("_")}
    assert public - known == set()


def test_methods_of_objects_exist():
    tree = _stub("_C")
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name == "TensorBase":
            continue
        cls = getattr(opweave._C, node.name)
        missing = {f for f in _functions(node.body) if not hasattr(cls, f)}
        assert missing - {"__getattr__"} == set(), node.name


PROGRAM = """\
import opweave as ow
t: ow.Tensor = ow.ones(2, 3) if ow.is_grad_enabled() else ow.tensor([1.0])
u: ow.Tensor = (t + 1).sum(0, keepdim=True)[0]
with ow.no_grad():
    u.add_(t.to(ow.float32), alpha=2).backward()
"""


def test_mypy_accepts_the_stubs(tmp_path):
    mypy = shutil.which("mypy", path=f"{TOOLS}:{os.environ['PATH']}")
    if mypy is None:
        pytest.skip("mypy is not installed (./dev setup installs it)")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # What has no stub is not asked about.
    options = ["--strict", "--explicit-package-bases", "--follow-imports", "silent"]
    files = [*PACKAGE.rglob("*.pyi"), program]
    run = subprocess.run(
        [mypy, *options, "--python-version", "3.11", "--cache-dir", os.devnull, *files],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
