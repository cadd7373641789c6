"""What LAPACK answers, by a library of its name that answers what a test wants."""

import os
import subprocess
import sys

import pytest

# dgesdd fails for a matrix that begins with 7, and says so of an argument where two calls overlap.
LIBRARY = """
#include <stddef.h>
#include <unistd.h>
static int inside, overlapped;
int openblas_get_parallel(void) { return KIND; }
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork,
             int* info, size_t length) {
  *info = 0;
  if (*lwork == -1) {
    *work = 1;
    return;
  }
  if (__sync_fetch_and_add(&inside, 1) != 0) overlapped = 1;
  usleep(20000);
  __sync_fetch_and_sub(&inside, 1);
  *info = a[0] == 7 ? 2 : overlapped ? -9 : 0;
}
"""
SERIAL, WITH_THREADS, WITH_OPENMP = range(3)


def answer(folder, kind, program):
    """What a program prints where LAPACK is that library."""
    source = folder / "lapack.c"
    source.write_text(LIBRARY)
    library = folder / "libopenblas.so.0"
    compiler = ["gcc", "-shared", "-fPIC", f"-DKIND={kind}", "-o", library, source]
    subprocess.run(compiler, check=True)
    program = f"import opweave as ow\ntry:\n  {program}\nexcept RuntimeError as e:\n  print(e)"
    env = {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=env, text=True, capture_output=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_matrix_that_did_not_converge_is_named(tmp_path):
    program = "a = ow.ones(3, 2, 40, 40).double(); a[2:, :, 0, 0] = 7; ow.linalg.svd(a)"
    assert answer(tmp_path, WITH_THREADS, f"ow.set_num_threads(1); {program}") == (
        "linalg.svd: (Batch element 4): The algorithm failed to converge because the input matrix is "
        "ill-conditioned or has too many repeated singular values (error code: 2)."
    )


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        (SERIAL, "done"),
        (WITH_OPENMP, "done"),
        (WITH_THREADS, "linalg.svd: (Batch element 0): LAPACK refused argument 9"),
    ],
)
def test_a_library_for_one_thread_is_called_by_one_at_a_time(tmp_path, kind, printed):
    program = "ow.set_num_threads(4); ow.linalg.svdvals(ow.ones(8, 40, 40).double()); print('done')"
    found = answer(tmp_path, kind, program)
    # Which of two calls that overlap comes to an end first is chance.
    assert found[:12] == printed[:12]
    assert found.endswith(printed[-10:])
