"""Kernels that use all that kernels may, with an argument of every type, in an extension of PyTorch."""

from pathlib import Path

from support import build, generate, python_with_torch, run_in

VOCABULARY = Path("tests/wheel/vocabulary").resolve()
SAMPLES = Path("tests/codegen/emit/torch/samples/ops.yaml").resolve()


def test_the_vocabulary_of_kernels_is_that_of_opweave(tmp_path):
    """The kernels of tests/wheel/vocabulary_test.py; what nodes keep of them is tested as well."""
    python_with_torch()
    files = sorted((VOCABULARY / "kernels").rglob("*.cc"))
    words = [
        word for file in [*files, VOCABULARY / "kernels/words.h"] for word in ("--kernels", file)
    ]
    made = generate(
        tmp_path, *words, "--ops", SAMPLES, ops=VOCABULARY / "ops.yaml", library="vocabulary"
    )
    assert made.returncode == 0, made.stderr
    built = build(tmp_path)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    found = run_in(tmp_path, "-m", "pytest", "-q", "--show-capture=no", "tests")
    assert found.returncode == 0, found.stdout[-6000:]
    found = run_in(tmp_path, VOCABULARY / "say.py", "torch")
    assert found.returncode == 0, found.stderr
    assert found.stdout == (VOCABULARY / "said.txt").read_text()
