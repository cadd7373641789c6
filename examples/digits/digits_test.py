"""The digits example: runs with one seed agree to the bit, in Python and in C++, and it learns."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import data
import opweave as ow
import pytest
import train
from model import DigitNet

needs_digits = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="scikit-learn's digits are not installed"
)


def made_up(n: int, seed: int) -> data.Part:
    """Images whose brightest row is their label, so that there is something to learn."""
    generator = ow.Generator().manual_seed(seed)
    labels = ow.randint(0, 8, (n,), generator=generator)
    images = ow.rand(n, 1, 8, 8, generator=generator)
    for image, label in zip(images, labels.tolist()):
        image[0, label] += 1
    return images, labels


def run(
    images: ow.Tensor, labels: ow.Tensor, seed: int, epochs: int
) -> tuple[list[float], str, float]:
    ow.manual_seed(seed)
    train_set, test_set = data.split(images, labels, seed)
    model = DigitNet(ow.squareplus)
    losses = train.train(model, train_set, test_set, epochs, batch_size=64, seed=seed)
    return losses, train.fingerprint(model), train.accuracy(model, *test_set)[0]


def test_one_seed_agrees_to_the_bit() -> None:
    digits = made_up(320, seed=7)
    first, second, other = (run(*digits, seed, epochs=2) for seed in (3, 3, 4))
    assert first == second
    assert first[:2] != other[:2]


def test_it_learns() -> None:
    losses, _, score = run(*made_up(640, seed=7), seed=0, epochs=6)
    assert losses[-1] < 0.5 * losses[0]
    assert score > 0.9


def test_split_is_a_partition() -> None:
    images = ow.arange(100.0).reshape(100, 1, 1, 1)
    (a, _), (b, _) = data.split(images, ow.arange(100), seed=1)
    assert (len(a), len(b)) == (80, 20)
    assert sorted(a.flatten().tolist() + b.flatten().tolist()) == list(range(100))


@needs_digits
def test_data() -> None:
    images, labels = data.load()
    assert (images.shape, labels.shape) == ((1797, 1, 8, 8), (1797,))
    assert (images.min().item(), images.max().item()) == (0.0, 1.0)
    assert sorted(set(labels.tolist())) == list(range(10))


def selected(path: pathlib.Path) -> dict[str, set[str]]:
    """The operators of a selection, with their dtypes."""
    entries = re.findall(r"^- \{name: ([\w.]+), dtypes: \[(.*)\]\}", path.read_text(), re.MULTILINE)
    return {name: set(dtypes.split(", ")) for name, dtypes in entries}


@needs_digits
def test_the_selection_holds_what_the_training_calls(tmp_path: pathlib.Path) -> None:
    """`./dev quickstart` builds these operators alone."""
    traced = tmp_path / "digits.yaml"
    command = [sys.executable, train.__file__, "--picture", str(tmp_path / "digits.png")]
    environment = {**os.environ, "OPWEAVE_TRACE": str(traced)}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    called, chosen = selected(traced), selected(pathlib.Path("examples/selection/digits.yaml"))
    assert len(called) > 50
    lacking = {
        name: dtypes - chosen.get(name, set())
        for name, dtypes in called.items()
        if name not in chosen or not dtypes <= chosen[name]
    }
    assert not lacking, "they belong into examples/selection/digits.yaml"


@needs_digits
def test_digits_with_one_seed_agree_to_the_bit() -> None:
    digits = data.load()
    assert run(*digits, seed=0, epochs=1) == run(*digits, seed=0, epochs=1)


def test_cpp_program_agrees_with_itself(tmp_path: pathlib.Path) -> None:
    images, labels = made_up(320, seed=7)
    rows = [
        ",".join(f"{v * 16:.4f}" for v in image.flatten().tolist()) + f",{label}"
        for image, label in zip(images, labels.tolist())
    ]
    csv = tmp_path / "digits.csv"
    csv.write_text("\n".join(rows) + "\n")
    program = pathlib.Path(os.environ["TEST_SRCDIR"], "opweave/examples/digits/train")
    first, second = (
        subprocess.run([program, csv, "3"], capture_output=True, text=True, check=False)
        for _ in range(2)
    )
    assert first.stderr == ""
    assert first.stdout.count("epoch") == 3
    assert "test accuracy" in first.stdout
    assert first.stdout == second.stdout
