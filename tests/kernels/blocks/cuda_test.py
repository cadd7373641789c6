"""nvcc compiles the programs that PoCL runs, and keeps all that they hold in registers."""

import os
import re
import subprocess

import pytest

# Programs with their inputs and row inputs.
PROGRAMS = {
    "softmax_fold": (1, 0),
    "logsumexp_fold": (1, 0),
    "rms_norm_fold": (2, 0),
    "rms_norm_backward_fold": (3, 1),
    "var_mean_fold": (1, 0),
    "softmax_backward_fold": (2, 0),
    "extremes_fold": (1, 1),
}
_KERNELS, _OVER_TWO = 6, 2  # of one program


@pytest.mark.parametrize(
    ("memory", "compute"), [("float", "float"), ("double", "double"), ("BFloat16", "float")]
)
def test_nothing_spills(tmp_path, memory, compute):
    text = (
        '#include "kernels/cuda/pointwise/blocks.cuh"\n#include "tests/kernels/blocks/programs.h"\n'
    )
    text += f"using namespace opweave::blocks;\nOW_COLUMN_SUMS(sums, {memory}, {compute})\n"
    for program, (inputs, rows) in PROGRAMS.items():
        operands = f"Operands<{inputs}, {rows}, {memory}, {compute}>"
        for kernels in ["OW_FOLD_KERNELS", "OW_FOLD_KERNELS_OVER_TWO"]:
            text += f"{kernels}({program}_kernels, {program}, {operands})\n"
    source = tmp_path / "programs.cu"
    source.write_text(text)
    command = [
        os.environ["OPWEAVE_NVCC"],
        "-std=c++20",
        "-arch=sm_90",
        "-O2",
        "-I.",
        "-Xptxas",
        "-v",
    ]
    command += ["-Werror", "all-warnings", "-cubin", "-o", tmp_path / "programs.cubin", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    spilled = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", done.stderr)
    assert spilled == [("0", "0")] * (_KERNELS + (_KERNELS + _OVER_TWO) * len(PROGRAMS)), (
        done.stderr
    )
