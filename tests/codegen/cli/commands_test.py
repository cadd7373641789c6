"""The generator's commands from outside: what they print, where, and their exit status."""

import json
import subprocess
from pathlib import Path

import pytest

OPWEAVE = Path("codegen/cli/opweave").resolve()
OLD = """\
- func: twice(Tensor self) -> Tensor
  expr: self + self
- func: scale(Tensor self, Scalar factor=1) -> Tensor
  expr: self * factor
"""
NEW = """\
- func: twice(Tensor self) -> Tensor
  expr: 2 * self
- func: scale(Tensor self, Scalar factor) -> Tensor
  expr: self * factor
- func: halved(Tensor self) -> Tensor
  expr: self / 2
"""
TORCH = """\
- func: twice(Tensor self) -> Tensor
  dispatch:
    CPU: twice_cpu
- func: scale(Tensor self, float factor=1) -> Tensor
- func: lacking(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd: lacking
"""
TORCH_DERIVATIVES = """\
- name: lacking(Tensor self) -> Tensor
  self: grad * helper(self)
"""


@pytest.fixture
def run(tmp_path):
    for name, text in {
        "old/ops.yaml": OLD,
        "new/ops.yaml": NEW,
        "native.yaml": TORCH,
        "derivatives.yaml": TORCH_DERIVATIVES,
        "helpers.h": "at::Tensor helper(const at::Tensor& self);\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def opweave(*arguments):
        return subprocess.run([OPWEAVE, *arguments], cwd=tmp_path, capture_output=True, text=True)

    opweave.folder = tmp_path
    return opweave


def expect(done, status, out="", err=""):
    assert (done.returncode, done.stdout, done.stderr) == (status, out, err)


def test_diff(run):
    said = (
        "changed:\n"
        "  scale: argument 'factor' lost its default 1\n"
        "      breaks Python callers, C++ callers\n"
        "  twice: computes in another way\n"
        "added:\n"
        "  halved\n"
        "3 changes, 1 breaking; version: major\n"
    )
    expect(run("diff", "old", "new/ops.yaml"), 3, said)
    expect(run("diff", "old", "old"), 0, "0 changes, 0 breaking; version: none\n")
    error = (
        "nope:1:1: error[OW0001]: this file cannot be read: No such file or directory\n1 error\n"
    )
    expect(run("diff", "old", "nope"), 1, "", error)


def test_diff_as_json(run):
    done = run("diff", "old", "new", "--format=json")
    assert done.returncode == 3
    assert "lost its default" in done.stdout
    report = json.loads(done.stdout)
    assert (report["version_part"], report["breaking"]) == ("major", 1)


def test_diff_sees_derivatives(run):
    formula = "- name: twice\n  self: twice(grad)\n"
    (run.folder / "new/ops.yaml").write_text(OLD)
    (run.folder / "new/derivatives.yaml").write_text(formula)
    done = run("diff", "old", "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert "version: none" not in done.stdout


def test_lock(run):
    lock = run.folder / "made/operators.lock"
    expect(run("lock", "--out", lock, "--ops", "old/ops.yaml"), 0)
    assert [line.split()[-1] for line in lock.read_text().splitlines()[2:]] == ["scale", "twice"]
    expect(run("check", "--ops", "old/ops.yaml", "--lock", lock), 0)
    done = run("check", "--ops", "new/ops.yaml", "--lock", lock)
    assert done.returncode == 1
    first, second, advice = done.stderr.splitlines()
    locked = "error: 'scale' is not what was locked: it is now scale(Tensor self, Scalar factor)"
    assert locked in first
    assert second.endswith("error: 'halved' is new and not locked yet")
    assert "./dev lock" in advice


def test_lock_that_is_not_there(run):
    error = "opweave: error: the lock none.lock cannot be read: No such file or directory\n"
    expect(run("check", "--ops", "old/ops.yaml", "--lock", "none.lock"), 1, "", error)
    done = run("lock", "--out", "/proc/no/operators.lock", "--ops", "old/ops.yaml")
    assert done.returncode == 1
    assert "/proc/no/operators.lock" in done.stderr


@pytest.mark.parametrize("option", ["--guide", "--kernel-dtypes"])
def test_docs_of_a_file_that_is_not_there(run, option):
    error = "opweave: error: none.md cannot be read: No such file or directory\n"
    expect(run("docs", "--out", "made", "--ops", "old/ops.yaml", option, "none.md"), 1, "", error)
    assert not (run.folder / "made").exists()


def test_gen_into_a_folder_that_cannot_be(run):
    done = run("gen", "--ops", "old/ops.yaml", "--out", "/proc/no")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written: No such file or directory" in done.stderr


def test_gen_why_writes_nothing(run):
    expect(run("gen", "--ops", "old/ops.yaml", "--out", "made"), 0)
    before = {p: p.read_bytes() for p in (run.folder / "made").rglob("*") if p.is_file()}
    done = run("gen", "--why", "--ops", "new/ops.yaml", "--out", "made")
    assert (done.returncode, done.stderr) == (0, "")
    assert "opweave/ops/halved.h" in done.stdout
    after = {p: p.read_bytes() for p in (run.folder / "made").rglob("*") if p.is_file()}
    assert len(before) > 10
    assert before == after


def test_trace_names_the_lines_of_emitters(run):
    expect(run("gen", "--trace", "--ops", "old/ops.yaml", "--out", "made"), 0)
    text = (run.folder / "made/opweave/ops/twice.h").read_text()
    assert "// codegen/emit/" in text


def torch(run, *arguments):
    return run("check", "--dialect=torch", *arguments)


def test_torch_files(run):
    expect(
        torch(run, "native.yaml", "derivatives.yaml", "--helpers", "helpers.h"),
        0,
        "3 schemas read, each prints back to the letter\n"
        "1 formulas in 1 entries: 1 parsed, 0 words such as auto_linear, 0 not parsed (0.0 %)\n",
    )


def test_torch_helper_that_no_header_declares(run):
    (run.folder / "helpers.h").write_text("")
    done = torch(run, "native.yaml", "derivatives.yaml", "--helpers", "helpers.h")
    assert done.returncode == 1
    assert done.stderr.startswith("derivatives.yaml:2:16: error[")
    assert "neither an operator nor in a header" in done.stderr


def test_torch_parity(run):
    done = torch(run, "native.yaml", "--ops", "old/ops.yaml", "--report", "parity.json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads((run.folder / "parity.json").read_text())
    assert {row["operator"]: row["parity"] for row in rows} == {
        "twice": "same",
        "scale": "different",
        "lacking": "lacks",
    }
    assert "    types: 'factor' is float there, Scalar here\n" in done.stdout
    assert torch(run, "native.yaml", "--ops", "old/ops.yaml", "--report", "p.md").returncode == 0
    details = (run.folder / "p.md").read_text()
    assert "lacking: lacks (torch, kernel)\n    there: lacking(Tensor self)" in details


def test_torch_errors(run):
    missing = "nope.yaml:1:1: error[OW0001]: this file cannot be read: No such file or directory\n"
    expect(torch(run, "nope.yaml"), 1, "", missing + "1 error\n")
    done = torch(run, "native.yaml", "--ops", "old/ops.yaml", "--report", "/proc/no/parity.json")
    assert done.returncode == 1
    assert done.stderr == "opweave: error: /proc/no/parity.json cannot be written\n"
    (run.folder / "native.yaml").write_text("- func: f(Tensor self -> Tensor\n")
    done = torch(run, "native.yaml", "--format=json")
    assert done.returncode == 1
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert found["code"] == "OW0101"
    assert (found["location"]["line"], found["location"]["column"]) == (1, 23)


def test_our_own_operators_are_checked_beside_torch(run):
    (run.folder / "old/ops.yaml").write_text("- func: f(Tensor self) -> Tensor\n  expr: self +\n")
    done = torch(run, "native.yaml", "--ops", "old/ops.yaml")
    assert done.returncode == 1
    assert "old/ops.yaml:2:" in done.stderr


def test_usage(run):
    done = run("help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: opweave gen --out DIR")
    done = run("chekc")
    assert done.returncode == 2
    assert "did you mean 'check'?" in done.stderr


def test_defaults_that_stubs_cannot_name(run):
    text = (
        "- func: clip(Tensor self, *, float most=inf, float least=-1) -> Tensor\n"
        "  expr: min(self, most) - least\n"
    )
    (run.folder / "old/ops.yaml").write_text(text)
    expect(run("gen", "--ops", "old/ops.yaml", "--out", "made"), 0)
    stubs = "".join(p.read_text() for p in (run.folder / "made").rglob("*.pyi"))
    assert "def clip(input: Tensor, *, most: float = ..., least: float = -1" in stubs
    header = (run.folder / "made/opweave/ops/clip.h").read_text()
    assert "double most = std::numeric_limits<double>::infinity()" in header


def test_a_target_that_is_built_in(run):
    """Its file says what it is called, and so what `kernels` may name."""
    entry = "- func: turned(Tensor self) -> Tensor\n  kernels: [{}]\n  samples: {{self: real}}\n"
    (run.folder / "old/ops.yaml").write_text(
        OLD + entry.format("npu") + "  differentiable: false\n"
    )
    (run.folder / "npu.yaml").write_text("name: npu\ndoc: A device.\n")
    arguments = ("gen", "--ops", "old/ops.yaml", "--target", "npu.yaml", "--out", "made")
    expect(run(*arguments), 0)
    assert (run.folder / "made/opweave/npu/register.cc").exists()
    assert (run.folder / "made/opweave/ops/turned.h").exists()
    assert not (run.folder / "made/opweave/cpu").exists()
    (run.folder / "old/ops.yaml").write_text(
        OLD + entry.format("npux") + "  differentiable: false\n"
    )
    done = run(*arguments)
    assert done.returncode == 1
    assert "unknown target 'npux'" in done.stderr
    assert "did you mean 'npu'?" in done.stderr
    (run.folder / "npu.yaml").write_text("name: npu\nkernels: [turner]\n")
    done = run(*arguments)
    assert done.returncode == 1
    assert "did you mean 'npu'?" in done.stderr
    assert "npu.yaml:2:11: error[" in done.stderr
    assert "did you mean 'turned'?" in done.stderr


def test_a_target_names_its_kernels_itself(run):
    """An entry leaves it to the targets that are built in who has a kernel: one of them has to."""
    entry = "- func: turned(Tensor self) -> Tensor\n  kernels: [native]\n  samples: {self: real}\n"
    (run.folder / "turned.yaml").write_text(entry + "  differentiable: false\n")
    (run.folder / "npu.yaml").write_text("name: npu\nkernels: [turned]\n")
    (run.folder / "tpu.yaml").write_text("name: tpu\n")
    gen = ("gen", "--ops", "turned.yaml", "--out", "made")
    expect(run(*gen, "--target", "npu.yaml", "--target", "tpu.yaml"), 0)
    assert "turned" in (run.folder / "made/opweave/npu/register.cc").read_text()
    assert "turned" not in (run.folder / "made/opweave/tpu/register.cc").read_text()
    library = ("--import-ops", "old/ops.yaml")
    for command in (
        (*gen, "--target", "tpu.yaml"),
        (*gen, *library),
        ("check", "--ops", "turned.yaml", *library),
    ):
        done = run(*command)
        assert done.returncode == 1
        assert done.stderr.startswith(
            "turned.yaml:2:13: error[OW0304]: 'turned' has a kernel where a "
        )
    entries = "".join(
        entry.replace("turned", f"turned{i}") + "  differentiable: false\n" for i in range(4)
    )
    (run.folder / "many.yaml").write_text(entries)
    done = run("gen", "--ops", "many.yaml", "--out", "made")
    assert "many.yaml:1:9: error[OW0304]: 4 operators, of which this is the first, " in done.stderr
    assert "note: name it: --target FILE\n1 error\n" in done.stderr
    (run.folder / "both.yaml").write_text(
        entry.replace("native", "cpu, native") + "  differentiable: false\n"
    )
    done = run("check", "--ops", "both.yaml", *library)
    assert done.stderr.startswith("both.yaml:2:18: error[OW0304]: 'turned' has a kernel where a ")
    # Without a target's file nobody knows what the targets have.
    expect(run("check", "--ops", "turned.yaml"), 0)
    twice = entry.replace("native", "native, npu")
    (run.folder / "turned.yaml").write_text(twice + "  differentiable: false\n")
    done = run(*gen, "--target", "npu.yaml")
    assert "the kernel of the target 'npu' for 'turned' is named twice" in done.stderr


def test_a_target_of_its_own(run):
    """A package that brings up a device prints its target's files alone."""
    (run.folder / "old/ops.yaml").write_text(
        OLD + "- func: turned(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n"
        "  differentiable: false\n"
    )
    (run.folder / "npu.yaml").write_text("name: npu\ndoc: A device.\nkernels: [turned]\n")
    expect(run("gen", "--ops", "old/ops.yaml", "--target-file", "npu.yaml", "--out", "made"), 0)
    files = {str(p.relative_to(run.folder / "made")) for p in (run.folder / "made").rglob("*.*")}
    assert "opweave/kernels/npu.h" in files
    assert {file.split("/")[1] for file in files} == {"kernels", "npu"}
    (run.folder / "npu.yaml").write_text("name: npu\ndoc: A device.\nkernels: [turner]\n")
    done = run("check", "--ops", "old/ops.yaml", "--target-file", "npu.yaml")
    assert done.returncode == 1
    assert done.stderr.startswith("npu.yaml:3:11: error[")
    assert "did you mean 'turned'?" in done.stderr


def test_kernels_name_known_targets(run):
    entry = (
        "- func: turned(Tensor self) -> Tensor\n  kernels: [{}]\n"
        "  differentiable: false\n  samples: {{self: real}}\n"
    )
    for target, options, status in (
        ("cpu", (), 0),
        ("cpuu", (), 1),
        ("npu", (), 1),
        ("npu", ("--known-target", "npu"), 0),
        ("npu", ("--target", "cpu", "--target", "npu"), 0),
    ):
        (run.folder / "turned.yaml").write_text(entry.format(target))
        done = run("check", "--ops", "turned.yaml", *options)
        assert done.returncode == status, done.stderr
    assert "did you mean 'cpu'?" in _refusal(run, entry.format("cpuu"))


def _refusal(run, text):
    (run.folder / "turned.yaml").write_text(text)
    return run("check", "--ops", "turned.yaml").stderr


def test_commands_answer_help(run):
    for command in ("check", "gen", "new-op"):
        done = run(command, "--help")
        assert done.returncode == 0
        assert done.stdout.startswith("usage: opweave gen")


def test_a_library_replaces_nothing_of_another(run):
    (run.folder / "mine.yaml").write_text(
        "- func: mine(Tensor self) -> Tensor\n  python_name: twice\n  expr: self * 3\n"
    )
    done = run("check", "--ops", "mine.yaml", "--import-ops", "old/ops.yaml")
    assert done.returncode == 1
    assert "'mine' would replace opweave.twice in Python" in done.stderr
    assert "which is an operator of another library" in done.stderr
