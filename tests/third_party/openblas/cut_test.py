"""The part of OpenBLAS that the wheel carries: its functions, and what every processor's kernels answer."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

LIBRARY = Path("third_party/openblas/libopweave_lapack.so")
CORES = {
    "Prescott": {"pni"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
}
SHAPES = [(1, 1), (3, 7), (40, 40), (150, 60), (65, 300)]
# Prints how far the factors of matrices of each shape are from the matrix, in units of the rounding error.
PROGRAM = """import cut_test
for shape in cut_test.SHAPES:
    for dtype in ("float32", "float64"):
        print(cut_test.error(shape, dtype))
"""


def flags() -> set[str]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return set(next(line for line in lines if line.startswith("flags")).split())


def singular(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, S and V^T by the library's routine; `a` has to be in Fortran's order."""
    (m, n), k = a.shape, min(a.shape)
    s = np.zeros(k, a.dtype)
    u, vt = (np.zeros((size, size), a.dtype, order="F") for size in (m, n))
    room, numbers = (np.zeros(16 * max(m, n) * (k + 8), t) for t in (a.dtype, np.int32))
    info = ctypes.c_int(-1)
    call = getattr(ctypes.CDLL(str(LIBRARY.resolve())), f"{a.dtype.char.replace('f', 's')}gesdd_")
    i = [ctypes.byref(ctypes.c_int(value)) for value in (m, n, len(room))]
    p = [x.ctypes.data_as(ctypes.c_void_p) for x in (a.copy(order="F"), s, u, vt, room, numbers)]
    call(
        b"A",
        i[0],
        i[1],
        p[0],
        i[0],
        p[1],
        p[2],
        i[0],
        p[3],
        i[1],
        p[4],
        i[2],
        p[5],
        ctypes.byref(info),
        1,
    )
    assert info.value == 0
    return u, s, vt


def error(shape: tuple[int, int], dtype: str) -> float:
    a = np.asfortranarray(np.random.default_rng(shape[0]).standard_normal(shape).astype(dtype))
    u, s, vt = (part.astype(np.float64) for part in singular(a))
    k = len(s)
    expected = np.linalg.svd(a.astype(np.float64), compute_uv=False)
    wrong = max(np.abs(s - expected).max(), np.abs((u[:, :k] * s) @ vt[:k] - a).max())
    return float(wrong / expected.max() / np.finfo(dtype).eps)


def run(core: str | None) -> tuple[str, list[float]]:
    """The kernels that the library said it takes, and the errors of all shapes and types."""
    env = {**os.environ, "OPENBLAS_VERBOSE": "2", "PYTHONPATH": str(Path(__file__).parent)}
    env |= {"OPENBLAS_CORETYPE": core} if core else {}
    env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, text=True, capture_output=True, check=True
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("Core: ")]
    return said[-1].removeprefix("Core: "), [float(line) for line in done.stdout.split()]


def test_exports_what_our_kernels_look_up_and_nothing_else() -> None:
    table = subprocess.check_output(["nm", "-D", "--defined-only", LIBRARY], text=True)
    names = {line.split()[-1] for line in table.splitlines()}
    assert names == {"sgesdd_", "dgesdd_", "openblas_set_num_threads", "openblas_get_parallel"}


def test_needs_no_library_that_systems_may_not_have() -> None:
    dynamic = subprocess.check_output(["readelf", "-d", LIBRARY], text=True)
    needed = {line.split("[")[1][:-1] for line in dynamic.splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}


@pytest.mark.parametrize("core", CORES)
def test_the_kernels_of_each_processor(core: str) -> None:
    if not flags() >= CORES[core]:
        pytest.skip(f"this processor is no {core}")
    taken, errors = run(core)
    assert taken == core
    assert len(errors) == 2 * len(SHAPES)
    assert max(errors) < 60


def test_a_processor_newer_than_the_library_gets_the_kernels_of_what_it_can_do() -> None:
    best = [core for core in CORES if flags() >= CORES[core]][-1]
    taken, errors = run(None)
    assert taken == best
    assert max(errors) < 60
