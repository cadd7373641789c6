"""Kernels for NVIDIA GPUs in the extension of PyTorch: compiled with nvcc, or left out, which is said.

No GPU is needed: what is tested is that it compiles, is registered, and when it is not compiled.
"""

import shutil
from pathlib import Path

import pytest
from support import HERE, Done, generate, python_with_torch, run_in

# Words for PyTorch's module of C++ extensions, before build_extension.py is imported.
SETUP = """
import runpy, sys, torch
import torch.utils.cpp_extension as extensions
torch.cuda.device_count = lambda: 0
{before}
sys.argv = ["setup.py", "build_ext", "--inplace"]
sys.path.insert(0, ".")
{then}
"""
BUILD = 'runpy.run_path("setup.py", run_name="__main__")'
ASK = """
import os, build_extension
found = build_extension.extension("my_ops")
print([source for source in found.sources if source.endswith(".cu")], found.define_macros)
print(os.environ.get("TORCH_CUDA_ARCH_LIST", "-"))
"""


def packed(out: Path, *expressions: str) -> Path:
    """The sources of the extension, of the operator with the handwritten kernel and some expressions."""
    names = [*expressions, "moving_mean"]
    entries = ["- func:" + text for text in (HERE / "ops.yaml").read_text().split("- func:")]
    chosen = [e for e in entries if e.removeprefix("- func:").strip().partition("(")[0] in names]
    ops = out.parent / "ops.yaml"
    ops.write_text("".join(chosen).replace("kernels: [cpu]", "kernels: [cpu, cuda]"))
    made = generate(
        out,
        *("--kernels", HERE / "kernels", "--kernels", f"cuda={HERE / 'cuda'}"),
        *("--target", "cpu", "--target", "cuda"),
        ops=ops,
    )
    assert made.returncode == 0, made.stderr
    return out


def python(folder: Path, before: str = "", then: str = ASK, **environment: str) -> Done:
    script = SETUP.format(before=before, then=then)
    return run_in(folder, "-c", script, **{"OPWEAVE_TORCH_CUDA": "", **environment})


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python_with_torch()
    return packed(tmp_path_factory.mktemp("cuda") / "my_ops")


@pytest.fixture(scope="module")
def with_cuda(sources: Path) -> None:
    found = python(sources)
    if "built without" in found.stderr:
        pytest.skip(found.stderr.strip().splitlines()[-1])


@pytest.mark.parametrize(
    ("before", "environment", "told"),
    [
        ("torch.version.cuda = None", {}, " was built without CUDA"),
        (
            "torch.version.cuda = '13.2'; extensions.CUDA_HOME = '/nowhere'",
            {},
            "there is no /nowhere/bin/nvcc; install the CUDA toolkit 13.2 or name it in CUDA_HOME",
        ),
        ("", {"OPWEAVE_TORCH_CUDA": "0"}, "OPWEAVE_TORCH_CUDA is 0"),
    ],
)
def test_where_nothing_compiles_them_they_are_left_out(
    sources: Path, before: str, environment: dict[str, str], told: str
) -> None:
    found = python(sources, before, **environment)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["[] []", "-"]
    [line] = [line for line in found.stderr.splitlines() if line.startswith("my_ops:")]
    assert line.startswith("my_ops: built without the CUDA kernels of moving_mean.cu: ")
    assert told in line


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("1", "my_ops: moving_mean.cu cannot be compiled: PyTorch "),
        ("yes", "OPWEAVE_TORCH_CUDA is yes, expected 0 (leave CUDA out) or 1 (insist on it)"),
    ],
)
def test_who_insists_on_cuda_is_refused(sources: Path, value: str, told: str) -> None:
    found = python(sources, "torch.version.cuda = None", OPWEAVE_TORCH_CUDA=value)
    assert found.returncode == 1
    assert told in found.stderr
    assert "Traceback" not in found.stderr


def test_a_toolkit_of_another_release_is_told(sources: Path, with_cuda: None) -> None:
    found = python(sources, "torch.version.cuda = '9.2'")
    assert found.stdout.startswith("[] []"), found.stderr
    assert "bin/nvcc is of CUDA " in found.stderr
    assert found.stderr.rstrip().endswith(" of 9.2")


def test_without_a_gpu_the_code_is_for_those_of_pytorch(sources: Path, with_cuda: None) -> None:
    found = python(sources)
    files, architectures = found.stdout.splitlines()
    assert files == "['csrc/handwritten_cuda/moving_mean.cu'] [('OPWEAVE_TORCH_CUDA', '1')]"
    assert architectures.endswith("+PTX")


def test_kernels_compile_and_are_registered(with_cuda: None, tmp_path: Path) -> None:
    """The handwritten one, and that of an expression and of its gradient."""
    package = packed(tmp_path / "built", "squareplus")
    built = python(package, then=BUILD, TORCH_CUDA_ARCH_LIST="9.0")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    script = """
import torch, my_ops
from torch._subclasses.fake_tensor import FakeTensorMode
has = torch._C._dispatch_has_kernel_for_dispatch_key
for name in ("moving_mean", "squareplus", "squareplus_backward_self"):
    print([key for key in ("CPU", "CUDA", "Meta") if has(f"my_ops::{name}", key)])
with FakeTensorMode():
    print(my_ops.moving_mean(torch.empty(4, 5, device="cuda"), 2, dim=0))
print(my_ops.moving_mean(torch.arange(4.0), 2))
"""
    found = run_in(package, "-c", script)
    assert found.stdout.splitlines() == [
        "['CPU', 'CUDA', 'Meta']",
        "['CPU', 'CUDA', 'Meta']",
        "['CPU', 'CUDA', 'Meta']",
        "FakeTensor(..., device='cuda:0', size=(3, 5))",
        "tensor([0.5000, 1.5000, 2.5000])",
    ], found.stderr


def test_a_kernel_that_does_not_compile_leads_to_the_entry(
    sources: Path, with_cuda: None, tmp_path: Path
) -> None:
    package = shutil.copytree(sources, tmp_path / "wrong")
    kernel = package / "csrc/handwritten_cuda/moving_mean.cu"
    kernel.write_text(kernel.read_text().replace("double sum = 0;", "double sum = nought;"))
    found = python(package, then=BUILD, TORCH_CUDA_ARCH_LIST="9.0")
    assert found.returncode == 1
    assert "error: the kernel of 'moving_mean' does not compile" in found.stderr
    assert 'moving_mean.cu:20 identifier "nought" is undefined' in found.stderr


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.cc").write_text("\n")
    both = [word for folder in "ab" for word in ("--kernels", tmp_path / folder)]
    assert generate(tmp_path / "both", *both).returncode == 0
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("same.cpp")}
    assert files == {"both/csrc/handwritten/a/same.cpp", "both/csrc/handwritten/b/same.cpp"}
    (tmp_path / "a/same.cpp").write_text("\n")
    found = generate(tmp_path / "out", "--kernels", tmp_path / "a")
    assert found.returncode == 1
    assert (
        f"there are two files for csrc/handwritten/same.cpp, one is {tmp_path}/a/same.cpp"
        in found.stderr
    )
    assert not (tmp_path / "out").exists()
