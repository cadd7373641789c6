"""The library as README.md builds it: its own tests pass in a Python that has PyTorch."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support import CHECKOUT, HERE, WITHOUT_WHEELS, build, generate, python_with_torch, run_in


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package, built."""
    python = python_with_torch()
    out = tmp_path_factory.mktemp("my_ops")
    made = generate(out, "--kernels", HERE / "kernels")
    assert made.returncode == 0, made.stderr
    built = subprocess.run(
        [python, "setup.py", "build_ext", "--inplace"], cwd=out, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    return out


def test_its_own_tests_pass(package: Path) -> None:
    found = run_in(package, "-m", "pytest", "-q", "tests")
    assert found.returncode == 0, found.stdout[-6000:]
    assert " passed" in found.stdout


def test_wrong_calls_are_told_what_is_wrong(package: Path) -> None:
    program = """
import torch, my_ops
for call in (lambda: my_ops.squareplus(torch.ones(2, dtype=torch.complex64)),
             lambda: my_ops.moving_mean(torch.ones(4), 0),
             lambda: my_ops.moving_mean(torch.ones(4), 5),
             lambda: my_ops.moving_mean(torch.ones(4, dtype=torch.int32), 2)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    found = run_in(package, "-c", program)
    assert found.stdout.splitlines() == [
        "NotImplementedError \"squareplus\" not implemented for 'ComplexFloat'",
        "ValueError moving_mean(): size has to be positive, got 0",
        "RuntimeError moving_mean(): a window of 5 does not fit into the 4 elements of dimension 0",
        "NotImplementedError \"moving_mean\" not implemented for 'Int', the dtype of argument 'self'",
    ], found.stderr


def errors_of_build(package: Path) -> str:
    built = subprocess.run(
        [python_with_torch(), "setup.py", "build_ext", "--inplace"],
        cwd=package,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 1
    return built.stderr


def test_what_does_not_compile_leads_to_the_entry(tmp_path: Path) -> None:
    python_with_torch()
    kernels = shutil.copytree(HERE / "kernels", tmp_path / "kernels")
    file = next(kernels.iterdir())
    file.write_text(file.read_text().replace("double sum = 0;", "double sum = nought;"))
    assert generate(tmp_path / "out", "--kernels", kernels).returncode == 0
    lines = (HERE / "ops.yaml").read_text().splitlines()
    number, line = next((i, line) for i, line in enumerate(lines, 1) if "moving_mean(" in line)
    carets = "^" * len(line.removeprefix("- func: "))
    assert (
        f"{HERE}/ops.yaml:{number}: error: the kernel of 'moving_mean' does not compile\n"
        f"{number:>5} | {line}\n"
        f"      |         {carets}\n"
        f"  {file}:15 " in errors_of_build(tmp_path / "out")
    )
    assert not (tmp_path / "out/my_ops/_built.txt").exists()  # nothing was


def test_what_is_generated_and_does_not_compile_leads_to_the_entry(tmp_path: Path) -> None:
    python_with_torch()
    assert generate(tmp_path / "out", "--kernels", HERE / "kernels").returncode == 0
    pointwise = tmp_path / "out/csrc/pointwise.cpp"
    text = pointwise.read_text()
    at = text.index("m::sqrt(", text.index("squareplus"))
    pointwise.write_text(text[:at] + "m::root(" + text[at + len("m::sqrt(") :])
    said = errors_of_build(tmp_path / "out")
    assert "error: what is generated for 'squareplus' does not compile\n" in said


def test_a_package_that_was_not_built_says_so(package: Path, tmp_path: Path) -> None:
    shutil.copytree(package / "my_ops", tmp_path / "my_ops", ignore=shutil.ignore_patterns("*.so"))
    found = run_in(tmp_path, "-c", "import my_ops")
    assert "ImportError: my_ops has not been built: nothing is called _C*.so in" in found.stderr
    assert "pip install --no-build-isolation ." in found.stderr


def test_without_a_compiler_the_build_says_what_installs_one(tmp_path: Path) -> None:
    assert generate(tmp_path / "out", "--kernels", HERE / "kernels").returncode == 0
    built = build(tmp_path / "out", CXX="no-such-compiler -m64")
    assert built.returncode == 1
    assert built.stderr.endswith(
        "my_ops: there is no C++ compiler 'no-such-compiler' on the PATH: on Debian 'apt install g++' "
        "installs one; CXX names another\n"
    )


def test_setuptools_of_a_python_that_makes_no_wheels(tmp_path: Path) -> None:
    """As environments of Python 3.11 have it; pip would say that bdist_wheel is no command."""
    assert generate(tmp_path / "out", "--kernels", HERE / "kernels").returncode == 0
    found = run_in(tmp_path / "out", "-c", WITHOUT_WHEELS)
    assert found.returncode == 1
    assert found.stderr.endswith(
        "my_ops: setuptools 65.5.0 makes no wheels: 'pip install \"setuptools>=70.1,<82\"' installs one that "
        "does\n"
    )


def test_a_package_without_its_record_says_so(package: Path, tmp_path: Path) -> None:
    shutil.copytree(package / "my_ops", tmp_path / "my_ops")
    (tmp_path / "my_ops/_built.txt").unlink()
    found = run_in(tmp_path, "-c", "import my_ops")
    assert "ImportError: my_ops was built by half: there is no " in found.stderr


@pytest.mark.parametrize("record", ["", "2.15.0", "2.15.0 AVX2", "2.15.0 SSE 00"])
def test_a_record_that_is_damaged(package: Path, tmp_path: Path, record: str) -> None:
    shutil.copytree(package / "my_ops", tmp_path / "my_ops")
    (tmp_path / "my_ops/_built.txt").write_text(record)
    found = run_in(tmp_path, "-c", "import my_ops")
    assert "_built.txt is damaged; run `pip install --no-build-isolation .`" in found.stderr


def test_a_library_that_is_damaged(package: Path, tmp_path: Path) -> None:
    shutil.copytree(package / "my_ops", tmp_path / "my_ops")
    (library,) = (tmp_path / "my_ops").glob("_C*.so")
    library.write_bytes(library.read_bytes()[:1000])
    found = run_in(tmp_path, "-c", "import my_ops")
    assert (
        f"ImportError: my_ops: {library} is not the file that was built: it is damaged"
        in found.stderr
    )
    assert "; run `pip install --no-build-isolation .`" in found.stderr


def test_a_second_copy_of_a_package_is_refused(package: Path, tmp_path: Path) -> None:
    """PyTorch would end the process."""
    shutil.copytree(package / "my_ops", tmp_path / "my_copy")
    program = (
        "import my_ops\ntry:\n    import my_copy\nexcept ImportError as error:\n    print(error)\n"
    )
    found = run_in(package, "-c", program, PYTHONPATH=f"{package}:{tmp_path}")
    assert found.stdout == (
        "my_ops: PyTorch has operators of that namespace already (my_ops::hinge): another copy of the "
        "package was imported, or another extension has its name\n"
    ), found.stderr


@pytest.mark.parametrize(
    ("built", "told"),
    [
        ("2.1.0 DEFAULT 00", "ImportError: my_ops was built for PyTorch 2.1.0, this is 2."),
        (
            "{torch} AVX512 00",
            "ImportError: my_ops was built for AVX512, and this processor has DEFAULT",
        ),
    ],
)
def test_a_package_for_another_pytorch_or_processor_says_so(
    package: Path, tmp_path: Path, built: str, told: str
) -> None:
    shutil.copytree(package / "my_ops", tmp_path / "my_ops")
    record = tmp_path / "my_ops/_built.txt"
    record.write_text(built.format(torch=record.read_text().split()[0]))
    program = (
        "import torch; torch.backends.cpu.get_cpu_capability = lambda: 'DEFAULT'; import my_ops"
    )
    found = run_in(tmp_path, "-c", program)
    assert told in found.stderr
    assert "pip install --no-build-isolation ." in found.stderr


def test_a_kernel_with_an_error_is_shown_where_it_is(package: Path, tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    text = (
        (HERE / "kernels/moving_mean.cc")
        .read_text()
        .replace("sum / static_cast", "sun / static_cast")
    )
    (kernels / "moving_mean.cc").write_text(text)
    out = tmp_path / "out"
    assert generate(out, "--kernels", kernels).returncode == 0
    found = subprocess.run(
        [python_with_torch(), "setup.py", "build_ext", "--inplace"],
        cwd=out,
        capture_output=True,
        text=True,
    )
    assert found.returncode != 0
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "sun /" in row)
    assert f"{kernels}/moving_mean.cc:{line}:" in found.stdout + found.stderr


def test_an_operator_that_this_pytorch_lacks_is_told_of_at_the_entry(
    package: Path, tmp_path: Path
) -> None:
    ops, others, out = tmp_path / "ops.yaml", tmp_path / "others.yaml", tmp_path / "out"
    others.write_text("- func: nowhere(Tensor self) -> Tensor\n  expr: -self\n  dtypes: floating\n")
    ops.write_text(
        (HERE / "ops.yaml").read_text()
        + "\n- func: calls_it(Tensor self) -> Tensor\n  composite: nowhere(self)\n"
        "  dtypes: floating\n  samples: {self: real}\n"
    )
    made = generate(out, "--import-ops", others, ops=ops)
    assert made.returncode == 0, made.stderr
    build: list[str | Path] = [python_with_torch(), "setup.py", "build_ext", "--inplace"]
    found = subprocess.run(build, cwd=out, capture_output=True, text=True)
    line = ops.read_text().splitlines().index("- func: calls_it(Tensor self) -> Tensor") + 1
    assert f"{ops}:{line}:" in found.stdout + found.stderr
    assert "ATen/ops/nowhere_ops.h" in found.stdout + found.stderr


def test_the_page_shows_this_library_and_what_it_gives(package: Path, tmp_path: Path) -> None:
    page = (CHECKOUT / "docs/torch_extension.md").read_text(encoding="utf-8")
    entries = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert entries
    assert all(entry in (HERE / "ops.yaml").read_text() for entry in entries)
    [session] = re.findall(r"^```pycon\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "session.txt").write_text(session)
    found = run_in(package, "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", tmp_path / "session.txt")
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_kernel_that_includes_what_an_extension_lacks(tmp_path: Path) -> None:
    (tmp_path / "f.cc").write_text(
        '#include "runtime/core/base/str.h"\n#include "runtime/core/tensor/storage.h"\n'
    )
    found = generate(tmp_path / "out", "--kernels", tmp_path)
    assert found.returncode == 1
    assert (
        f"{tmp_path}/f.cc:2:11: error[OW0601]: a kernel of an extension of PyTorch cannot include "
        "'runtime/core/tensor/storage.h', which it does not have\n"
    ) in found.stderr
    assert (
        "note: it can include kernels/cpu/common/visit_dtype.h, opweave/ops/contiguous.h, "
        in found.stderr
    )
    assert not (tmp_path / "out").exists()


def test_kernels_that_are_not_there_are_refused(tmp_path: Path) -> None:
    found = generate(tmp_path / "out", "--kernels", tmp_path / "nowhere")
    assert found.returncode == 1
    assert f"--kernels {tmp_path}/nowhere: No such file or directory" in found.stderr
    assert not (tmp_path / "out").exists()
