"""Traces of programs: the selection that they write, and that the generator takes it."""

import os
import pathlib
import re
import subprocess
import sys
import threading

import opweave as ow
import pytest


def generate(selection, folder):
    inputs = "--ops ops.yaml --derivatives derivatives.yaml --kernel-calls kernels/calls.txt"
    inputs += " --target kernels/cpu/target.yaml"
    command = f"codegen/cli/opweave gen --out {folder} --select {selection} {inputs}"
    subprocess.run(command.split(), check=True)


def lines(text):
    return [line for line in text[0].splitlines() if line.startswith("- ")]


def test_calls_at_every_depth_are_noted_with_their_dtypes():
    x = ow.ones(2, 3, requires_grad=True)
    with ow.trace_operators() as text:
        ow.nn.functional.silu(x).softmax(1).sum().backward()
    noted = lines(text)
    assert "- {name: silu, dtypes: [float32]}  # cpu" in noted
    assert "- {name: _softmax, dtypes: [float32]}  # cpu" in noted  # in the composite softmax
    assert "- {name: silu_backward_self, dtypes: [float32]}  # cpu" in noted  # in backward
    assert noted == sorted(noted)
    assert text[0].startswith("# The operators that a program called, on: cpu\ndtypes: [float32]\n")


def test_numbers_count_by_what_they_promote_to():
    integers, truth = ow.arange(3), ow.ones(2, dtype=ow.bool)
    with ow.trace_operators() as text:
        integers + 0.5
        ow.ones(2, dtype=ow.float64) * 2.5
        truth.lt(2)
    noted = lines(text)
    assert "- {name: add.Tensor, dtypes: [int64, float32]}  # cpu" in noted
    assert "- {name: mul.Tensor, dtypes: [float64]}  # cpu" in noted
    assert any(line.startswith("- {name: lt") and "[bool, int64]" in line for line in noted)


def test_targets_are_noted():
    x = ow.ones(2, device="meta")
    with ow.trace_operators() as text:
        x.exp()
    assert "- {name: exp, dtypes: [float32]}  # meta" in lines(text)


def test_the_same_program_gives_the_same_text():
    def trace():
        with ow.trace_operators() as text:
            ow.ones(3).exp().cumsum(0)
        return text[0]

    assert trace() == trace()


def test_outside_of_a_block_nothing_is_noted():
    with ow.trace_operators() as text:
        pass
    ow.ones(2).exp()
    assert text[0].endswith("operators: []\n")


def test_results_are_those_of_the_untraced_program():
    def program():
        ow.manual_seed(0)
        x = ow.randn(4, 4, requires_grad=True)
        y = x.clone()
        y[0] = 1
        y.add_(x).view(16).tanh().sum().backward()
        return x.grad.tolist()

    expected = program()
    with ow.trace_operators():
        assert program() == expected


def test_traces_do_not_nest():
    with ow.trace_operators(), pytest.raises(RuntimeError, match="running already"):
        _ = ow.trace_operators().__enter__()


def test_a_trace_ends_in_its_thread():
    with ow.trace_operators():
        found = []

        def end():
            try:
                ow._C._stop_trace()
            except RuntimeError as error:
                found.append(str(error))

        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
    assert found == ["no trace of operators is running in this thread"]


def test_a_program_is_traced_into_a_file_that_the_generator_takes(tmp_path):
    file = tmp_path / "traced.yaml"
    subprocess.run(
        [sys.executable, "-c", "import opweave as ow; ow.ones(2).exp().sum().item()"],
        env={**os.environ, "OPWEAVE_TRACE": str(file)},
        check=True,
    )
    assert "- {name: exp, dtypes: [float32]}  # cpu" in file.read_text().splitlines()
    generate(file, tmp_path)
    kernels = "".join(f.read_text() for f in pathlib.Path(tmp_path, "opweave/cpu").iterdir())
    assert "exp_kernel" in kernels
    assert "sin_kernel" not in kernels


def test_the_selection_of_the_documentation_is_one(tmp_path):
    page = pathlib.Path("docs/selection.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "page.yaml"
    file.write_text(block)
    generate(file, tmp_path)
