"""Libraries with kernels for hardware besides the CPU: a target that Opweave does not name, and CUDA."""

import os
import re
import shutil
from pathlib import Path

import pytest
from installed import BUILD, Installed, copy, cube

HEAP = Path("tests/kernels/target/libopweave_heap_target.so").resolve()
NVCC = shutil.which("nvcc") or (
    "/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None
)
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="there is no CUDA toolkit")

HEAP_KERNEL = """
#include "opweave/kernels/heap_target/moving_mean.h"
#include "runtime/target/stream.h"

namespace opweave::heap_target {

void moving_mean(const Tensor& self, int64_t size, int64_t, Tensor& out) {
  current_stream(out.device()).synchronize();
  const auto* from = static_cast<const float*>(self.raw_data());
  auto* to = static_cast<float*>(out.raw_data());
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = 0;
    for (int64_t k = 0; k < size; ++k) to[i] += from[i + k] / static_cast<float>(size);
  }
}

}  // namespace opweave::heap_target
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


@pytest.fixture(scope="module")
def mine(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a kernel for the target whose devices are heaps, built."""
    home = tmp_path_factory.mktemp("libraries")
    assert user.run(*BUILD, "new", "mine", cwd=home).returncode == 0
    add_heap(home / "mine")
    built = user.run(*BUILD, "mine", cwd=home)
    assert built.returncode == 0, built.stderr
    return home / "mine"


def add_heap(library: Path) -> None:
    entries = library / "ops.yaml"
    text = entries.read_text()
    assert "kernels: [cpu]" in text
    entries.write_text(text.replace("kernels: [cpu]", "kernels: [cpu, heap_target]"))
    (library / "kernels/heap_target").mkdir()
    (library / "kernels/heap_target/mean.cc").write_text(HEAP_KERNEL)


@pytest.mark.parametrize("first", ["target", "library"])
def test_a_kernel_runs_on_its_target(user: Installed, mine: Path, first: str) -> None:
    load = "ow.heap_target.device_count()" if first == "target" else ""
    script = f"""
import opweave as ow
{load}
import mine
x = ow.tensor([1.0, 2.0, 6.0]).to("heap_target")
print(mine.moving_mean(x, 2).device, mine.moving_mean(x, 2).tolist(), mine.moving_mean(x.cpu(), 2).tolist())
"""
    said = user.prints(
        script, mine.parent, PYTHONPATH=str(mine / "build"), OPWEAVE_TARGETS=str(HEAP)
    )
    assert said == "heap_target:0 [1.5, 4.0] [1.5, 4.0]"


def complete_kernel(library: Path) -> str:
    """The kernel for the CPU as one for the target: every dtype, dimension and layout."""
    text = (library / "kernels/moving_mean.cc").read_text()
    assert "visit_floating" in text
    for old, new in {
        "opweave/kernels/cpu/": "opweave/kernels/heap_target/",
        "namespace opweave::cpu": "namespace opweave::heap_target",
        "visit_floating": "cpu::visit_floating",
        '#include "runtime/core/threads/parallel.h"': '#include "runtime/core/threads/parallel.h"\n'
        '#include "runtime/target/stream.h"',
        "if (out.numel() == 0) return;": "if (out.numel() == 0) return;\n"
        "  current_stream(out.device()).synchronize();",
    }.items():
        text = text.replace(old, new)
    return text


def test_the_tests_of_a_library_on_a_target(user: Installed, mine: Path, tmp_path: Path) -> None:
    on_heap = (*BUILD, "test", "heap", "--target", "heap_target")
    library = copy(mine, tmp_path / "heap")
    # Floats that lie one after the other, along the last dimension: the samples are of more.
    said = user.run(*on_heap, cwd=tmp_path, OPWEAVE_TARGETS=str(HEAP))
    assert said.returncode == 1, said.stdout + said.stderr
    failed = [line for line in said.stdout.splitlines() if line.startswith("FAILED")]
    # The first sample says it; what else would fail of the operator is left out.
    assert any("[moving_mean" in line for line in failed)
    assert not [line for line in failed if "moving_mean" not in line]
    (library / "kernels/heap_target/mean.cc").write_text(complete_kernel(library))
    said = user.run(*on_heap, cwd=tmp_path, OPWEAVE_TARGETS=str(HEAP))
    assert said.returncode == 0, said.stdout + said.stderr
    assert int(said.stdout.rpartition(" passed")[0].split()[-1]) > 15
    assert re.search(
        "the target 'heap_target' has no kernel of '(heap|mine)::squareplus'", said.stdout
    )
    assert "::moving_mean'" not in said.stdout


def test_targets_that_nothing_can_be_tested_on(user: Installed, mine: Path, tmp_path: Path) -> None:
    copy(mine, tmp_path / "heap")
    command = (*BUILD, "test", "heap", "--target")
    for name in ("npu", "meta"):
        said = user.refusal(*command, name, cwd=tmp_path, OPWEAVE_TARGETS=str(HEAP))
        assert said.startswith(
            f"there is no target '{name}' to test on; found: cpu, heap_target. Targets are looked for in "
        )
        assert f"what OPWEAVE_TARGETS names (libopweave_{name}.so)" in said
    said = user.refusal(
        *command, "heap_target", "--targets", "cpu", cwd=tmp_path, OPWEAVE_TARGETS=str(HEAP)
    )
    assert said == (
        "heap: the library is not built for the target 'heap_target', but for cpu: name it in --targets or "
        "give it kernels in kernels/heap_target\n"
    )


def test_without_the_target_the_rest_is_there(user: Installed, mine: Path) -> None:
    script = (
        "import opweave as ow, mine; print(mine.moving_mean(ow.tensor([1.0, 2.0]), 2).tolist())"
    )
    assert user.prints(script, mine.parent, PYTHONPATH=str(mine / "build")) == "[1.5]"


def test_libraries_that_are_edited_have_parts_of_their_own(user: Installed, tmp_path: Path) -> None:
    kernel = tmp_path / "twice.cc"
    kernel.write_text("""
#include "opweave/kernels/heap_target/twice.h"
#include "runtime/target/stream.h"
namespace opweave::heap_target {
void twice(const Tensor& self, Tensor& out) {
  current_stream(out.device()).synchronize();
  *static_cast<float*>(out.raw_data()) = FACTOR * *static_cast<const float*>(self.raw_data());
}
}
""")
    script = f"""
import opweave as ow
text = '''
- func: twice(Tensor self) -> Tensor
  kernels: [heap_target]
  dtypes: floating
  differentiable: false
  result: self.sizes()
  samples: {{self: real}}
'''
source = open({str(kernel)!r}).read()
found = []
for factor in "23":
    open("k.cc", "w").write(source.replace("FACTOR", factor))
    ops = ow.compile_ops(text, kernels={{"heap_target": ["k.cc"]}})
    found.append(ops.twice(ow.ones(1).to("heap_target")).item())
print(found)
"""
    assert user.prints(script, tmp_path, OPWEAVE_TARGETS=str(HEAP)) == "[2.0, 3.0]"


def test_a_kernel_that_lacks(user: Installed, mine: Path, tmp_path: Path) -> None:
    library = copy(mine, tmp_path / "lacks")
    kernel = library / "kernels/heap_target/mean.cc"
    kernel.write_text(HEAP_KERNEL.replace("void moving_mean(", "void moving_average("))
    said = user.refusal(*BUILD, "lacks", cwd=tmp_path)
    assert said.startswith(
        "lacks/ops.yaml:35: error: the operator 'moving_mean' has no kernel for the target 'heap_target'"
    )
    kernel.write_text(HEAP_KERNEL.replace("to[i] = 0;", "too[i] = 0;"))
    said = user.refusal(*BUILD, "lacks", cwd=tmp_path)
    assert "lacks/ops.yaml:35: error: the kernel of 'moving_mean' does not compile" in said
    assert "mean.cc:12 " in said


def test_targets_that_nobody_knows(user: Installed, mine: Path, tmp_path: Path) -> None:
    library = copy(mine, tmp_path / "other")
    said = user.refusal(*BUILD, "other", "--targets", "cpu,npu", cwd=tmp_path)
    assert "the library has nothing for the target 'npu': there is no folder kernels/npu" in said
    said = user.refusal(*BUILD, "other", "--targets", "heap_target", cwd=tmp_path)
    assert "'cpu' is not among 'heap_target': libraries are always built for it" in said
    (library / "pyproject.toml").write_text("[tool.opweave]\ntargets = 'cpu'\n")
    said = user.refusal(*BUILD, "other", cwd=tmp_path)
    assert "tool.opweave.targets: expected names of targets in a list" in said
    shutil.rmtree(library / "kernels/heap_target")
    (library / "pyproject.toml").unlink()
    said = user.refusal(*BUILD, "other", cwd=tmp_path)
    assert (
        "error[OW0304]: 'kernels' of 'moving_mean' names the unknown target 'heap_target'" in said
    )
    assert "each target with a folder kernels/TARGET" in said


def test_fewer_targets(user: Installed, mine: Path, tmp_path: Path) -> None:
    copy(mine, tmp_path / "fewer")
    for words, parts in (((), ["mine_heap_target.so"]), (("--targets", "cpu"), [])):
        said = user.run(*BUILD, "fewer", "--name", "mine", *words, cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        assert [path.name for path in (tmp_path / "fewer/build/mine").glob("*_*.so")] == parts


def test_a_part_that_was_changed(user: Installed, mine: Path, tmp_path: Path) -> None:
    package = shutil.copytree(mine / "build/mine", tmp_path / "mine")
    with (package / "mine_heap_target.so").open("ab") as part:
        part.write(b"x")
    said = user.refusal("-c", "import opweave, mine", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "mine_heap_target.so: not the file that was built" in said


def test_operators_that_go_leave_nothing(user: Installed, tmp_path: Path) -> None:
    """Files that were generated for entries of before are not compiled any more."""
    folder = tmp_path / "many"
    folder.mkdir()
    for count in (25, 1):
        (folder / "ops.yaml").write_text("".join(cube(f"cube{i}") for i in range(count)))
        said = user.run(*BUILD, "many", cwd=tmp_path)
        assert said.returncode == 0, said.stderr
    names = {path.stem for path in (folder / "build/.work/gen/opweave/ops").iterdir()}
    assert names == {"cube0"}


def test_without_a_toolkit(user: Installed, tmp_path: Path) -> None:
    nowhere = {"CUDA_HOME": str(tmp_path / "nowhere")}
    assert user.run(*BUILD, "new", "gpu", "--like", "cuda", cwd=tmp_path).returncode == 0
    said = user.run(*BUILD, "gpu", cwd=tmp_path, **nowhere)
    assert said.returncode == 0, said.stderr
    assert "gpu: built without the target 'cuda': there is no CUDA toolkit" in said.stderr
    said = user.refusal(*BUILD, "gpu", "--targets", "cpu,cuda", cwd=tmp_path, **nowhere)
    assert f"looked at CUDA_HOME={tmp_path}/nowhere for bin/nvcc" in said


def test_an_extension_of_pytorch_has_kernels_of_cuda(user: Installed, tmp_path: Path) -> None:
    assert user.run(*BUILD, "new", "gpu", "--like", "cuda", cwd=tmp_path).returncode == 0
    said = user.run(*BUILD, "torch", "gpu", cwd=tmp_path)
    assert (said.returncode, said.stderr) == (0, "")
    kernels = {path.name for path in (tmp_path / "gpu_torch").rglob("*.cu")}
    assert kernels == {"expressions.cu", "moving_mean.cu"}
    said = user.run(*BUILD, "torch", "gpu", "--targets", "cpu", "--out", "small", cwd=tmp_path)
    assert said.returncode == 0
    assert said.stderr == "gpu: kernels for 'cuda' are not part of the extension\n"
    assert not list((tmp_path / "small").rglob("*.cu"))
    assert "OPWEAVE_TORCH_CUDA" not in (tmp_path / "small/csrc/kernels.cpp").read_text()


def test_an_extension_of_pytorch_has_kernels_of_several_folders(
    user: Installed, tmp_path: Path
) -> None:
    assert user.run(*BUILD, "new", "gpu", "--like", "cuda", cwd=tmp_path).returncode == 0
    kernels = tmp_path / "gpu/kernels"
    (kernels / "cpu").mkdir()
    (kernels / "cpu/more.cc").write_text("int more;\n")
    (kernels / "cpu/more.h").write_text("extern int more;\n")
    (kernels / "more.cc").write_text("int less;\n")
    assert user.run(*BUILD, "torch", "gpu", cwd=tmp_path).returncode == 0
    root = tmp_path / "gpu_torch/csrc/handwritten"
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert found == {"moving_mean.cpp", "more.cpp", "cpu/more.cpp", "cpu/more.h"}


@needs_nvcc
def test_cuda_kernels_compile(user: Installed, tmp_path: Path) -> None:
    assert user.run(*BUILD, "new", "gpu", "--like", "cuda", cwd=tmp_path).returncode == 0
    said = user.run(*BUILD, "gpu", cwd=tmp_path, CUDAARCHS="90")
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "gpu/build/gpu/gpu_cuda.so").exists()
    script = "import opweave as ow, gpu; print(gpu.moving_mean(ow.tensor([1.0, 2.0]), 2).tolist())"
    assert user.prints(script, tmp_path, PYTHONPATH=str(tmp_path / "gpu/build")) == "[1.5]"
    kernel = tmp_path / "gpu/kernels/cuda/moving_mean.cu"
    text = kernel.read_text()
    line = text[: text.index("double sum = 0;")].count("\n") + 1
    kernel.write_text(text.replace("double sum = 0;", "double sum = nought;"))
    said = user.refusal(*BUILD, "gpu", cwd=tmp_path, CUDAARCHS="90")
    assert said.startswith("gpu/ops.yaml:35: error: the kernel of 'moving_mean' does not compile")
    assert f"kernels/cuda/moving_mean.cu:{line} identifier" in said
    said = user.refusal(*BUILD, "gpu", cwd=tmp_path, CUDAARCHS="new")
    assert "CUDAARCHS=new: expected compute capabilities such as '80;90'" in said
