"""Kernels that use all that kernels may, with an argument of every type: one file, in each form of a library.

PyTorch's form of it is built by tests/codegen/emit/torch/vocabulary_test.py.
"""

from pathlib import Path

import pytest
from installed import BUILD, Installed, copy

HERE = Path("tests/wheel/vocabulary").resolve()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"))


@pytest.mark.parametrize("words", [(), ("--stable",)], ids=["ordinary", "stable"])
def test_the_vocabulary_of_kernels(user: Installed, tmp_path: Path, words: tuple[str, ...]) -> None:
    copy(HERE, tmp_path / "vocabulary")
    made = user.run(*BUILD, "vocabulary", *words, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    said = user.run(HERE / "say.py", "opweave", cwd=tmp_path, PYTHONPATH="vocabulary/build")
    assert said.returncode == 0, said.stderr
    assert said.stdout == (HERE / "said.txt").read_text()


def test_headers_of_other_folders_go_into_an_extension_of_pytorch(
    user: Installed, tmp_path: Path
) -> None:
    copy(HERE, tmp_path / "vocabulary")
    (tmp_path / "vocabulary/shared").mkdir()
    (tmp_path / "vocabulary/kernels/words.h").rename(tmp_path / "vocabulary/shared/words.h")
    for file, old in (("cpu/deep/told.cc", "../../words.h"), ("stretched.cc", "words.h")):
        kernel = tmp_path / "vocabulary/kernels" / file
        up = "../" * (file.count("/") + 1)
        kernel.write_text(kernel.read_text().replace(f'"{old}"', f'"{up}shared/words.h"'))
    said = user.run(*BUILD, "torch", "vocabulary", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    root = tmp_path / "vocabulary_torch/csrc/handwritten"
    assert {str(path.relative_to(root)) for path in root.rglob("*.*")} == {
        "kernels/cpu/deep/told.cpp",
        "kernels/stretched.cpp",
        "shared/words.h",
    }
