"""The JSON Schemas through a validator: our files are valid, bad inputs of the wrong form are not."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

SCHEMAS = {
    name: json.loads(Path(f"schemas/{name}.schema.json").read_text(encoding="utf-8"))
    for name in ("ops", "derivatives", "target")
}
BAD = sorted(Path("tests/codegen/bad_input").glob("*/*"))
# Rules about the form of an entry, which a schema can express: unknown and missing keys, kinds of values,
# closed sets of words, exactly one implementation.
FORM = {"OW0005", "OW0006", "OW0007", "OW0008", "OW0302", "OW0303"}
# What a schema cannot know; nor which types of objects are declared (OW0102).
BEYOND = {
    "0523-rule-of-a-kernel-in-one-expression": "it does not know what a formula gives",
    "0022-unknown-sample-domain": "a word that is nearly a domain is a value for the schema",
    "0014-key-is-a-list": "JSON has no such keys",
    "0316-sample-too-large": "it does not multiply sizes",
    "0110-derivative-output-count": "it does not count outputs",
    "0131-numbers-of-a-number": "it does not read types of arguments",
    "0928-refused-list": "it does not read types of arguments",
    "0932-list-beside-others": "it does not read types of arguments",
    "0492-object-named-like-a-type": "some names are taken",
    "0761-objects-that-are-no-names": "it does not read C++ names and paths",
    "0765-requirements-of-nothing": "whether something else stands beside them it does not know",
    "0746-object-of-no-python-class": "it does not compare the class with the type's name",
    "0907-errors-that-there-are-not": "it does not read messages",
    "0911-objects-of-no-module": "it does not know Python's keywords",
    "0144-target-with-an-impossible-name": "some names are taken",
    "0740-sample-numbers-that-are-none": "how a number is spelled is gone once YAML has been read",
}


def errors(kind, text):
    validator = jsonschema.Draft7Validator(SCHEMAS[kind])
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize("kind", SCHEMAS)
def test_schemas_are_schemas(kind):
    jsonschema.Draft7Validator.check_schema(SCHEMAS[kind])


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("ops", "ops.yaml"),
        ("derivatives", "derivatives.yaml"),
        ("target", "kernels/cuda/target.yaml"),
    ],
)
def test_our_files_are_valid(kind, path):
    text = Path(path).read_text(encoding="utf-8")
    assert errors(kind, text) == []
    assert len(yaml.safe_load(text)) >= 3


@pytest.mark.parametrize("path", ["ops.yaml", "derivatives.yaml"])
def test_our_files_name_their_schema(path):
    """So that editors with yaml-language-server find it."""
    first = Path(path).read_text(encoding="utf-8").splitlines()[0]
    found = re.fullmatch(r"# yaml-language-server: \$schema=(.*)", first)
    assert found
    assert Path(found[1]).exists()


def expectation(folder):
    """The files that break rules of form alone, by their kind."""
    text = (folder / "expected.txt").read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"^(\w+)\.yaml:.*error\[(OW\d+)\]", text, re.MULTILINE)
    for kind in SCHEMAS:
        codes = {code for file, code in found if file == kind}
        if codes and codes <= FORM and folder.name not in BEYOND:
            yield kind


REFUSED = [(folder, kind) for folder in BAD for kind in expectation(folder)]


@pytest.mark.parametrize(
    ("folder", "kind"), [pytest.param(f, k, id=f"{f.name}-{k}") for f, k in REFUSED]
)
def test_wrong_forms_are_refused(folder, kind):
    text = (folder / f"{kind}.yaml").read_text(encoding="utf-8")
    assert errors(kind, text) != []


def test_there_are_enough_wrong_forms():
    assert len(REFUSED) >= 30


def accepts(kind, folder):
    path = folder / f"{kind}.yaml"
    try:
        return not path.exists() or not errors(kind, path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        return False


def test_right_forms_are_taken():
    """What is wrong for other reasons is valid YAML of the right form, as far as the schema knows."""
    sense = [f for f in BAD if "OW04" in (f / "expected.txt").read_text(errors="replace")]
    assert (
        sum(accepts("ops", f) and accepts("derivatives", f) for f in sense) >= 0.9 * len(sense) - 3
    )
