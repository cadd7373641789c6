"""What `build test` finds in libraries that are wrong: each fault once, in few lines, by entry and sample."""

import re
from pathlib import Path

import pytest
from installed import BUILD, Installed, copy

KERNEL = "kernels/moving_mean.cc"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


@pytest.fixture(scope="module")
def template(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    assert user.run(*BUILD, "new", "mine", cwd=home).returncode == 0
    return home / "mine"


def wrong(template: Path, folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the template with one mistake."""
    library = copy(template, folder / "mine")
    text = (library / file).read_text()
    assert text.count(old) == 1
    (library / file).write_text(text.replace(old, new))
    return library


def run(user: Installed, library: Path, *words: str) -> tuple[str, str]:
    """What a run says that finds something: the output without the dots, and the last line."""
    said = user.run(*BUILD, "test", library.name, *words, cwd=library.parent)
    assert said.returncode == 1, said.stdout[-3000:] + said.stderr[-2000:]
    return said.stdout, said.stderr


def failures(said: str) -> int:
    return int(re.search(r"(\d+) failed", said)[1])


def test_a_wrong_result(user: Installed, template: Path, tmp_path: Path) -> None:
    library = wrong(template, tmp_path, KERNEL, "sum / static_cast", "3 * sum / static_cast")
    said, _ = run(user, library)
    assert failures(said) == 1
    assert "mine/ops.yaml:35: moving_mean: its values are not those of its reference\n" in said
    assert "  call: moving_mean(self=real(5),size=3), " in said
    assert re.search(r"element \[0\] is \S+, the reference says \S+: 3 of 3 elements differ", said)
    assert len(said.splitlines()) < 30


def test_a_wrong_sign(user: Installed, template: Path, tmp_path: Path) -> None:
    library = wrong(template, tmp_path, "derivatives.yaml", "self: moving", "self: -moving")
    said, _ = run(user, library)
    assert failures(said) == 1
    assert (
        "mine/derivatives.yaml:3: the gradient of moving_mean by 'self' is not that of its values\n"
        "  call: moving_mean(self=real(5),size=3)\n"
    ) in said
    number = (
        r"element 0 of the result changes by 0\.333333 per unit of element 0 of the argument; "
        r"the formula says -0\.333333"
    )
    assert re.search(number, said)
    assert len(said.splitlines()) < 30


def test_a_gradient_of_other_sizes(user: Installed, template: Path, tmp_path: Path) -> None:
    library = wrong(
        template, tmp_path, "derivatives.yaml", "[size - 1, size - 1]", "[size - 1, size]"
    )
    said, _ = run(user, library)
    assert failures(said) == 1
    assert (
        "mine/derivatives.yaml:3: the gradient of moving_mean by 'self' cannot be computed: "
        in said
    )


def test_a_crash(user: Installed, template: Path, tmp_path: Path) -> None:
    line = "if (out.numel() == 0) return;"
    crash = f"{line}\n  if (size == 2) *reinterpret_cast<volatile int*>(size) = 1;"
    library = wrong(template, tmp_path, KERNEL, line, crash)
    _, told = run(user, library)
    said = (
        f"{library.name}: the tests ended by SIGSEGV (Segmentation fault) in or after this call of an "
        "operator, and no test after it has run:\n  moving_mean(self=real(2x4x3),size=2,dim=1)"
    )
    assert told.rstrip().endswith(said)
    assert len(told.splitlines()) < 10


def test_a_kernel_that_ends_the_process(user: Installed, template: Path, tmp_path: Path) -> None:
    line = "if (out.numel() == 0) return;"
    library = wrong(template, tmp_path, KERNEL, line, f"{line}\n  if (size == 2) _Exit(0);")
    _, told = run(user, library)
    said = (
        f"{library.name}: the tests ended by exit(0) in or after this call of an operator, and no test "
        "after it has run:\n  moving_mean(self=real(2x4x3),size=2,dim=1)"
    )
    assert told.rstrip().endswith(said)


def test_values_that_nobody_knows(user: Installed, template: Path, tmp_path: Path) -> None:
    reference = next(
        line for line in (template / "ops.yaml").read_text().splitlines() if "reference:" in line
    )
    library = wrong(template, tmp_path, "ops.yaml", f"{reference}\n", "")
    said = user.run(*BUILD, "test", "mine", cwd=tmp_path)
    assert said.returncode == 0, said.stdout
    told = "moving_mean: values are compared with nothing: give mine/ops.yaml:35 a 'reference', a formula"
    assert told in said.stdout
    assert "squareplus: values" not in said.stdout
    assert library.exists()


def test_the_template_says_what_its_values_are(user: Installed, template: Path) -> None:
    said = user.run(*BUILD, "test", "mine", cwd=template.parent)
    assert said.returncode == 0, said.stdout[-3000:] + said.stderr[-2000:]
    assert "compared with nothing" not in said.stdout


REFERENCES = {
    "mean(unfold(self, dim, size, 1), [-1])": "",
    "mean(unfold(self, dim, size, 1), [-1]) * 1": "",
    '{numpy: "np.lib.stride_tricks.sliding_window_view(self, size, dim).mean(-1) + 0 * np.e"}': "",
    "sum(unfold(self, dim, size, 1), [-1])": "its values are not those of its reference",
    "mean(self, [dim])": "the result has the sizes [3], the reference []",
    '{numpy: "slef"}': "its reference fails: NameError: name 'slef' is not defined",
    '{numpy: "np.mean("}': "its reference fails: SyntaxError:",
    '{numpy: "(self, self)"}': "it gives 1 results, its reference 2",
}


@pytest.fixture(scope="module")
def built(user: Installed, template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that is built, so that other references compile nothing."""
    library = copy(template, tmp_path_factory.mktemp("built") / "mine")
    assert user.run(*BUILD, "mine", cwd=library.parent).returncode == 0
    return library


@pytest.mark.parametrize("reference", REFERENCES)
def test_references(user: Installed, built: Path, reference: str) -> None:
    text = (built / "ops.yaml").read_text()
    said_there = next(line for line in text.splitlines() if line.startswith("  reference:"))
    (built / "ops.yaml").write_text(text.replace(said_there, f"  reference: {reference}"))
    said = user.run(*BUILD, "test", "mine", "--pytest", "-k", "reference", cwd=built.parent)
    told = REFERENCES[reference]
    assert said.returncode == (1 if told else 0), said.stdout[-3000:] + said.stderr[-2000:]
    assert told in said.stdout
