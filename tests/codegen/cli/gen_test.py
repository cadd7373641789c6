"""The generator that the build runs writes what `opweave gen` writes, and knows nothing else."""

import subprocess
from pathlib import Path

import pytest

GEN, OPWEAVE = (Path("codegen/cli", name).resolve() for name in ("gen", "opweave"))
FILES = [
    "--ops",
    Path("ops.yaml").resolve(),
    "--derivatives",
    Path("derivatives.yaml").resolve(),
    "--target",
    Path("kernels/cpu/target.yaml").resolve(),
]


def run(program, *words):
    command = [program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def written(program, out):
    assert run(program, "gen", "--out", out, *FILES).returncode == 0
    return {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}


def test_both_write_the_same(tmp_path):
    files = written(GEN, tmp_path / "a")
    assert len(files) > 1000
    assert files == written(OPWEAVE, tmp_path / "b")


@pytest.mark.parametrize(
    "words",
    [
        ("check", *FILES),
        ("explain",),
    ],
)
def test_other_commands_are_refused(words):
    said = run(GEN, *words)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == (
        "opweave: error: the build's generator knows `gen` alone: see opweave --help\n"
    )
    assert not Path("x").exists()


@pytest.mark.parametrize("name", ["torch", "stable", "jax"])
def test_other_emissions_are_not_among_its_choices(name):
    said = run(GEN, "gen", f"--emit={name}", "--library", "l", "--out", "x", *FILES)
    assert said.returncode == 2
    assert said.stderr.startswith(f"opweave: error: --emit can be opweave, not '{name}'\n")
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "--emit=jaxx",
            "--emit can be opweave, torch, stable, jax, not 'jaxx'; did you mean 'jax'?",
        ),
        ("--like=loop", "--like can be expr, composite, kernel, not 'loop'"),
    ],
)
def test_choices_are_listed(given, said):
    found = run(OPWEAVE, "gen" if "emit" in given else "new-op", given, "--out", "x", *FILES)
    assert (found.returncode, found.stderr.splitlines()[0]) == (2, f"opweave: error: {said}")
