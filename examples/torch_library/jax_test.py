"""The same library as a package for JAX: its own tests pass in a Python that has it."""

import re
import shutil
from pathlib import Path

import pytest
from support import (
    CHECKOUT,
    HERE,
    JAX,
    WITHOUT_WHEELS,
    Done,
    build,
    generate,
    python_with_jax,
    run_with,
)

OF_EXPRESSIONS = """\
- func: cube(Tensor self) -> Tensor
  expr: self * self * self
  dtypes: floating
  samples: {self: real}
"""


def generated(out: Path, *more: str | Path, ops: Path = HERE / "ops.yaml") -> Done:
    return generate(out, *more, ops=ops, framework=JAX)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package, built."""
    python_with_jax()
    out = tmp_path_factory.mktemp("my_ops")
    made = generated(out, "--kernels", HERE / "kernels")
    assert made.returncode == 0, made.stderr
    built = build(out, JAX)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    return out


def imported(folder: Path) -> str:
    """What an import of a copy says."""
    return run_with(JAX, folder, "-c", "import my_ops_jax").stderr


def test_its_own_tests_pass(package: Path) -> None:
    found = run_with(JAX, package, "-m", "pytest", "-q", "tests")
    assert found.returncode == 0, found.stdout[-6000:]
    assert " passed" in found.stdout


def test_wrong_calls_are_told_what_is_wrong(package: Path) -> None:
    program = """
import jax.numpy as jnp, my_ops_jax as my_ops
for call in (lambda: my_ops.squareplus(jnp.ones(2, jnp.complex64)),
             lambda: my_ops.moving_mean(jnp.ones(4), 0),
             lambda: my_ops.moving_mean(jnp.ones(4), 5),
             lambda: my_ops.moving_mean(jnp.ones(4, jnp.int32), 2)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    found = run_with(JAX, package, "-c", program)
    assert found.stdout.splitlines() == [
        "NotImplementedError \"squareplus\" not implemented for 'complex64'",
        "ValueError moving_mean(): size has to be positive, got 0",
        "RuntimeError moving_mean(): a window of 5 does not fit into the 4 elements of dimension 0",
        "NotImplementedError \"moving_mean\" not implemented for 'Int', the dtype of argument 'self'",
    ], found.stderr


def test_an_expression_needs_no_compiler(tmp_path: Path) -> None:
    """XLA fuses it with what stands around."""
    ops = tmp_path / "ops.yaml"
    ops.write_text(OF_EXPRESSIONS)
    (tmp_path / "derivatives.yaml").write_text("")
    assert generated(tmp_path / "out", ops=ops).returncode == 0
    program = (
        "import jax, my_ops_jax as o\n"
        "print(o.cube(2.0), jax.grad(o.cube)(2.0), jax.grad(jax.grad(o.cube))(2.0))\n"
        "print(' fusion(' in jax.jit(lambda x: 1 + o.cube(x)).lower(jax.numpy.ones(9)).compile().as_text())"
    )
    found = run_with(JAX, tmp_path / "out", "-c", program, PATH="/nowhere")
    assert found.stdout.splitlines() == ["8.0 12.0 12.0", "True"], found.stderr


def test_what_does_not_compile_leads_to_the_entry(tmp_path: Path) -> None:
    python_with_jax()
    kernels = shutil.copytree(HERE / "kernels", tmp_path / "kernels")
    file = next(kernels.iterdir())
    file.write_text(file.read_text().replace("double sum = 0;", "double sum = nought;"))
    assert generated(tmp_path / "out", "--kernels", kernels).returncode == 0
    lines = (HERE / "ops.yaml").read_text().splitlines()
    number, line = next((i, line) for i, line in enumerate(lines, 1) if "moving_mean(" in line)
    carets = "^" * len(line.removeprefix("- func: "))
    built = build(tmp_path / "out", JAX)
    assert built.returncode == 1
    assert (
        f"{HERE}/ops.yaml:{number}: error: the kernel of 'moving_mean' does not compile\n"
        f"{number:>5} | {line}\n"
        f"      |         {carets}\n"
        f"  {file}:15 " in built.stderr
    )
    assert not (tmp_path / "out/my_ops_jax/_built.txt").exists()  # nothing was


def test_without_a_compiler_the_build_says_what_installs_one(tmp_path: Path) -> None:
    assert generated(tmp_path / "out", "--kernels", HERE / "kernels").returncode == 0
    built = build(tmp_path / "out", JAX, CXX="no-such-compiler -m64")
    assert built.returncode == 1
    assert built.stderr.endswith(
        "my_ops_jax: there is no C++ compiler 'no-such-compiler' on the PATH: on Debian 'apt install g++' "
        "installs one; CXX names another\n"
    )


@pytest.mark.parametrize("kernels", [(), ("--kernels", HERE / "kernels")], ids=["none", "some"])
def test_setuptools_of_a_python_that_makes_no_wheels(
    tmp_path: Path, kernels: tuple[str | Path, ...]
) -> None:
    """As environments of Python 3.11 have it; pip would say that bdist_wheel is no command."""
    ops = tmp_path / "ops.yaml"
    ops.write_text(OF_EXPRESSIONS if not kernels else (HERE / "ops.yaml").read_text())
    (tmp_path / "derivatives.yaml").write_text(
        "" if not kernels else (HERE / "derivatives.yaml").read_text()
    )
    made = generated(tmp_path / "out", *kernels, ops=ops)
    assert made.returncode == 0, made.stderr
    found = run_with(JAX, tmp_path / "out", "-c", WITHOUT_WHEELS)
    assert found.returncode == 1
    assert found.stderr == (
        "my_ops_jax: setuptools 65.5.0 makes no wheels: 'pip install \"setuptools>=70.1,<82\"' installs one "
        "that does\n"
    )


def test_a_package_that_was_not_built_says_so(package: Path, tmp_path: Path) -> None:
    source = package / "my_ops_jax"
    shutil.copytree(source, tmp_path / "my_ops_jax", ignore=shutil.ignore_patterns("*.so"))
    said = imported(tmp_path)
    assert "ImportError: my_ops_jax has not been built: nothing is called _C*.so in" in said
    assert "pip install --no-build-isolation ." in said


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (None, "my_ops_jax was built by half: there is no "),
        ("", "_built.txt is damaged; run `pip install --no-build-isolation .`"),
        ("0.4.1 x86_64 - 00", "my_ops_jax was built for JAX 0.4.1, this is "),
        ("{jax} vax - 00", "my_ops_jax was built for vax, which this processor does not have"),
        ("{jax} {machine} avx9 00", "with avx9, which this processor does not have"),
        ("{jax} {machine} - 00", "is not the file that was built: it is damaged, or was changed"),
    ],
)
def test_a_package_for_something_else_says_so(
    package: Path, tmp_path: Path, record: str | None, told: str
) -> None:
    copy = shutil.copytree(package / "my_ops_jax", tmp_path / "my_ops_jax")
    file = copy / "_built.txt"
    jax, machine, *_ = file.read_text().split()
    file.unlink()
    if record is not None:
        file.write_text(record.format(jax=jax, machine=machine))
    said = imported(tmp_path)
    assert told in said
    assert "; run `pip install --no-build-isolation .`" in said


def test_the_page_shows_this_library_and_what_it_gives(package: Path, tmp_path: Path) -> None:
    page = (CHECKOUT / "docs/jax_extension.md").read_text(encoding="utf-8")
    entries = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert entries
    assert all(entry in (HERE / "ops.yaml").read_text() for entry in entries)
    [session] = re.findall(r"^```pycon\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "session.txt").write_text(session)
    words = ("-m", "doctest", "-o", "NORMALIZE_WHITESPACE", tmp_path / "session.txt")
    found = run_with(JAX, package, *words)
    assert found.returncode == 0, found.stdout + found.stderr
