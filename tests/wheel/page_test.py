"""docs/own_operators.md: its program prints what it says, and its commands succeed, with the wheel alone."""

import re
import shlex
from pathlib import Path

import pytest
from installed import Installed

PAGE = (Path("pyproject.toml").resolve().parent / "docs/own_operators.md").read_text(
    encoding="utf-8"
)
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


PROGRAMS = [i for i, (language, _) in enumerate(BLOCKS) if language == "py"]


@pytest.mark.parametrize("at", PROGRAMS)
def test_a_program_prints_what_the_page_shows(user: Installed, tmp_path: Path, at: int) -> None:
    assert user.prints(BLOCKS[at][1], tmp_path) == BLOCKS[at + 1][1].strip()


def test_the_commands_succeed_and_the_error_is_as_shown(user: Installed, tmp_path: Path) -> None:
    commands = next(text for language, text in BLOCKS if language == "console").splitlines()
    assert len(commands) == 4
    for line in commands:
        dollar, python, *words = shlex.split(line)
        assert (dollar, python) == ("$", "python")
        said = user.run(*words, cwd=tmp_path)
        assert said.returncode == 0, said.stdout + said.stderr
    kernel = tmp_path / "my_ops/kernels/moving_mean.cc"
    kernel.write_text(kernel.read_text().replace("const Tensor in =", "const Tensor inn ="))
    shown = next(text for language, text in BLOCKS if "does not compile" in text)
    assert user.refusal("-m", "opweave.build", "my_ops", cwd=tmp_path).startswith(shown)
