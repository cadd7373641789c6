"""Operator libraries are built by what a wheel carries: without it that is what is said."""

import json
import random
import subprocess
import sys

import opweave as ow
import pytest
from opweave._libraries import load
from opweave.build import BuildError

ENTRY = "- func: cube(Tensor self) -> Tensor\n  expr: self * self * self\n"
LACKS = "lacks bin/opweave, include, share/ops.yaml.*: install opweave from its wheel"


def test_a_package_without_the_generator(tmp_path, monkeypatch):
    monkeypatch.setenv("OPWEAVE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(BuildError, match=LACKS):
        ow.compile_ops(ENTRY)
    (tmp_path / "ops.yaml").write_text(ENTRY)
    with pytest.raises(BuildError, match=LACKS):
        ow.compile_ops(tmp_path / "ops.yaml")


def test_the_report_names_what_there_is():
    said = subprocess.run(
        [sys.executable, "-m", "opweave"], capture_output=True, text=True, check=True
    ).stdout
    assert said == "" or said.startswith(f"Opweave {ow.__version__}, in ")
    shown = ow.__config__.show()
    assert f"threads: {ow.get_num_threads()} of " in shown
    assert "instruction set in use: " in shown
    assert "  - cpu: 1 device(s), built in" in shown
    assert ow.__config__.parallel_info().startswith(f"get_num_threads(): {ow.get_num_threads()}\n")


def test_the_report_leaves_out_devices_that_were_asked_for_and_are_not_there():
    asked = (
        "import opweave as ow\n"
        "try: ow.ones(1, device='nothing_there')\n"
        "except RuntimeError: pass\n"
        "ow.device('cuda:0')\n"
        "print(ow.__config__.show())"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert "  - cpu: 1 device(s), built in" in done.stdout
    assert "nothing_there" not in done.stdout


OPERATOR = {"name": "f", "schema": "f(Tensor x) -> Tensor", "place": "ops.yaml:1", "derived": False}
MANIFEST = {
    "format": 2,
    "name": "mine",
    "version": "0",
    "library": "mine.so",
    "sha256": "0",
    "opweave": "0.1.0",
    "interface": 1,
    "operators": [OPERATOR],
    "uses": {"mul.Tensor": "0"},
    "classes": {"opweave::TensorImpl": "0"},
}
VALUES = [None, 1, -1, 1.5, "x", "", [], {}, [1], {"a": 1}, True, [[]], "../../mine.so", "\0"]


def broken_manifests():
    for key in MANIFEST:
        yield from (json.dumps({**MANIFEST, key: value}) for value in VALUES)
        yield json.dumps({k: v for k, v in MANIFEST.items() if k != key})
    for key in OPERATOR:
        for value in VALUES:
            yield json.dumps({**MANIFEST, "operators": [{**OPERATOR, key: value}], "interface": 9})
    text, numbers = json.dumps(MANIFEST), random.Random(1)
    for _ in range(300):
        at = numbers.randrange(len(text))
        change = numbers.choice(["", "}", "[", "\0", "9", '"'])
        yield text[:at] + change + text[at + numbers.randrange(4) :]


def test_damaged_manifests_are_import_errors(tmp_path, monkeypatch):
    """Whatever they say, the text names the file, or the library."""
    classes = tmp_path / "classes.json"  # which a wheel carries
    classes.write_text(json.dumps({"opweave::TensorImpl": "1"}))
    monkeypatch.setattr("opweave._libraries._CLASSES", classes)
    for text in broken_manifests():
        (tmp_path / "library.json").write_text(text)
        with pytest.raises(ImportError, match=r"library\.json|the operator library '|mine\.so"):
            load(tmp_path)
