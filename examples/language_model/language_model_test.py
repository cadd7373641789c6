"""The language model example: PyTorch's losses digit by digit, a resumed run, and what it writes."""

import pathlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import opweave as ow
import pytest
import train

LICENSE = pathlib.Path("LICENSE")

# By step, of the same program under PyTorch 2.15: `sed s/opweave/torch/` on its files, seed 1.
# fmt: off
PYTORCH = [
    4.483488, 4.284785, 4.074585, 3.921664, 3.731782, 3.561460, 3.411174, 3.346925,
    3.247532, 3.186780, 3.244988, 3.074481, 3.030862, 3.022021, 3.222315, 3.041888,
    3.022629, 2.876247, 2.985486, 3.198440, 2.920537, 2.863401, 3.000283, 2.885906,
    2.844555, 2.876740, 2.783165, 2.965330, 2.880427, 2.839018, 2.754858, 2.777793,
    2.584159, 2.723172, 2.889804, 2.728180, 2.752110, 2.638715, 2.678132, 2.728617,
    2.629137, 2.597708, 2.736020, 2.605452, 2.601489, 2.636519, 2.657830, 2.510624,
    2.540183, 2.544075, 2.787994, 2.715702, 2.500375, 2.516480, 2.558643, 2.565708,
    2.484870, 2.611752, 2.633305, 2.619673,
]
# fmt: on


@pytest.fixture(autouse=True)
def pytorch_s_random_numbers() -> Iterator[None]:
    ow.random.set_engine("mt19937")
    ow.manual_seed(1)
    yield
    ow.random.set_engine("philox")


def text() -> train.Text:
    return train.Text(LICENSE.read_text(encoding="utf-8"))


def test_losses_are_pytorch_s() -> None:
    training = train.Training(text())
    losses = [training.step() for _ in PYTORCH]
    assert losses[:10] == pytest.approx(PYTORCH[:10], abs=2e-6)
    # Sums of many terms differ in their last digits, and what is learned of them with time.
    assert losses == pytest.approx(PYTORCH, abs=5e-4)


def run(folder: pathlib.Path, steps: int, *more: str) -> None:
    train.main(["--text", str(LICENSE), "--folder", str(folder), "--steps", str(steps), *more])


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    run(whole, 12)
    without_stop = capsys.readouterr().out
    run(parts, 5)
    capsys.readouterr()
    run(parts, 12)
    resumed = capsys.readouterr().out
    assert resumed == "resumed after step 5\n" + without_stop
    assert (
        ow.load(whole / "language_model.pt")["losses"]
        == ow.load(parts / "language_model.pt")["losses"]
    )


def test_it_learns_draws_and_writes(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, 100, "--length", "40")
    said = capsys.readouterr().out
    found = [float(loss) for loss in re.findall(r"loss (\d\.\d{4})", said)]
    assert len(found) == 2
    assert found[1] < found[0] < 3.2
    assert len(said.rpartition("loss")[2].partition("\n")[2]) == 1 + 40 + 1
    picture = ET.parse(tmp_path / "loss.svg").getroot()
    line = picture.find("{http://www.w3.org/2000/svg}polyline")
    assert line is not None
    assert len(line.attrib["points"].split()) == 100
