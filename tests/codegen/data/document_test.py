"""The document of Opweave's own operators: its form, what its names mean, and that nothing in it is C++."""

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

OPWEAVE = Path("codegen/cli/opweave").resolve()
FILES = [
    "--ops",
    "ops.yaml",
    "--derivatives",
    "derivatives.yaml",
    "--target",
    "kernels/cpu/target.yaml",
]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "made/model.json"
    subprocess.run([OPWEAVE, "model", "--out", path, *FILES], check=True)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model(text):
    return json.loads(text)


@pytest.fixture(scope="module")
def schema():
    return json.loads(Path("schemas/model.schema.json").read_text(encoding="utf-8"))


def every(value, key):
    """The values that stand behind a key, anywhere."""
    if isinstance(value, list):
        for item in value:
            yield from every(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name == key:
                yield item
            yield from every(item, key)


def test_it_has_the_form_of_its_schema(model, schema):
    jsonschema.Draft7Validator.check_schema(schema)
    errors = jsonschema.Draft7Validator(schema).iter_errors(model)
    assert [f"{[*e.absolute_path]}: {e.message[:300]}" for _, e in zip(range(5), errors)] == []


def one_operator(model, name):
    """A document of one operator."""
    operators = [o for o in model["operators"] if o["name"] == name]
    return json.loads(json.dumps({**model, "operators": operators}))


WRONG = {
    "another version": lambda m: m.update(opweave_model=2),
    "a key that there is not": lambda m: m["operators"][0].update(colour="red"),
    "a form that there is not": lambda m: m["operators"][0].update(form="sideways"),
    "no schema": lambda m: m["operators"][0].pop("schema"),
    "an expression without nodes": lambda m: next(every(m["operators"], "expression")).update(nodes=[]),
    "a node without operands": lambda m: next(every(m["operators"], "nodes"))[-1].pop("operands"),
    "a literal without a value": lambda m: next(every(m["operators"], "nodes")).append(
        {"op": "literal", "type": "value"}
    ),
    "a call of nothing": lambda m: next(
        n for f in every(m["operators"], "formula") for n in f["nodes"] if n["kind"] == "call"
    ).pop("operator"),
    "a constant of another kind": lambda m: next(every(m["operators"], "default")).update(value="1"),
    "a number that is text": lambda m: next(every(m["intrinsics"], "definition"))[0].update(argument="x"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_forms_are_refused(model, schema, what):
    wrong = one_operator(model, "add.Tensor")
    assert jsonschema.Draft7Validator(schema).is_valid(wrong)
    WRONG[what](wrong)
    assert not jsonschema.Draft7Validator(schema).is_valid(wrong)


def test_it_is_the_same_each_time(text, tmp_path):
    subprocess.run([OPWEAVE, "model", "--out", tmp_path / "again.json", *FILES], check=True)
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == text


def test_the_list_of_operators_is_a_part_of_it(model):
    """operators.json, which builds read, is taken from it word for word."""
    listed = json.loads(Path("generated/opweave/operators.json").read_text(encoding="utf-8"))
    taken = [
        {
            "name": o["name"],
            "schema": o["schema"]["text"],
            "place": o["place"].removeprefix("./"),
            "derived": o.get("derived", False),
        }
        for o in model["operators"]
        if "imported" not in o
    ]
    assert taken == [{**o, "place": o["place"].removeprefix("./")} for o in listed]
    assert len(listed) > 1500


def lists_of_nodes(model):
    yield from every([model["operators"], model["intrinsics"]], "nodes")
    for function in model["intrinsics"]:
        yield from (tree for tree in function["derivatives"] if tree)
        if "definition" in function:
            yield function["definition"]


def test_nodes_stand_behind_their_operands(model):
    count = 0
    for nodes in lists_of_nodes(model):
        used = set()
        for place, node in enumerate(nodes):
            assert all(operand < place for operand in node.get("operands", []))
            used |= set(node.get("operands", []))
            count += 1
        assert used == set(range(len(nodes) - 1)), "a node that nothing reads"
    assert count > 20000


def test_names_mean_something(model):
    operators = {o["name"]: o for o in model["operators"]}
    assert len(operators) == len(model["operators"])
    known = {f["name"]: f for f in model["rule_functions"]}
    vocabulary = {f["op"]: f for f in model["intrinsics"]}
    others = {
        "argument",
        "literal",
        "has_value",
        "string_equals",
        "to_value",
        "to_boolean",
        "select",
    }
    named = ("operator", "functional", "inplace", "out", "elements_of", "backward_of", "sums_of")
    for o in model["operators"]:
        told = [o["forms"], o["computes"], o["derivative"], o.get("rule"), o["batching"]]
        assert {name for key in named for name in every(told, key)} <= {*operators}
        assert o.get("gradient_of", o["name"]) in operators
    for nodes in lists_of_nodes(model):
        for node in nodes:
            count = len(node.get("operands", []))
            if node.get("kind") == "call":
                assert count == len(operators[node["operator"]]["schema"]["arguments"])
            elif node.get("kind") == "function":
                assert count == len(known[node["function"]]["schema"]["arguments"])
            elif "op" in node and node["op"] not in others:
                assert count == vocabulary[node["op"]]["arity"]


def test_every_operator_of_the_vocabulary_is_one(model):
    families = {o["name"].partition(".")[0] for o in model["operators"]}
    assert [f["op"] for f in model["intrinsics"] if f.get("operator", "abs") not in families] == []


def test_what_is_kept_is_what_formulas_are_answered_from(model):
    """Each leaf of a backward pass that reads the call is answered from a value that its step reads."""
    count = 0
    for o in model["operators"]:
        for step in o["derivative"].get("backward", {}).get("steps", []):
            reads = set(step.get("reads", []))
            nodes = step.get("formula", {"nodes": []})["nodes"]
            assert {n["read"]["kept"] for n in nodes if "read" in n} <= reads
            count += len(reads)
    assert count > 500


def strings(value):
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    for item in inside:
        yield from strings(item)


def test_nothing_of_it_is_cpp(model):
    """Words of C++, which only our own printers would understand."""
    words = re.compile(
        r"std::|ops::|\bconst\b|\bauto\b|->\w|\w\(\)\.|static_cast|\bTensorList|(?<!\.)\bIntList"
    )
    said = [
        {k: v for k, v in o.items() if k not in ("doc", "reference", "samples")}
        for o in model["operators"]
    ]
    assert [text for text in strings(said) if words.search(text)] == []


def test_what_python_calls(model):
    """Every public operator is called by something, with parameters for its arguments."""
    operators = {o["name"]: o for o in model["operators"]}
    called = set()
    for kind in ("functions", "methods", "nn_functional"):
        for function in model["python_" + kind]:
            for overload in function["overloads"]:
                schema = operators[overload["operator"]]["schema"]
                places = [p["argument"] for p in overload["parameters"] if "argument" in p]
                assert places == sorted(set(places)) or kind == "nn_functional"
                assert all(place < len(schema["arguments"]) for place in places)
                called |= {overload["operator"], overload.get("out")}
    public = {o["name"] for o in model["operators"] if "python" in o}
    assert public <= called, public - called
    (add,) = (f for f in model["python_functions"] if (f["name"], f.get("module")) == ("add", None))
    assert [o["operator"] for o in add["overloads"]][:2] == ["add.Tensor", "add.Scalar"]
    assert [p["name"] for p in add["overloads"][0]["parameters"]] == ["input", "other", "alpha"]
    (loss,) = (f for f in model["python_nn_functional"] if f["name"] == "mse_loss")
    roles = {p["name"]: p.get("role") for p in loss["overloads"][0]["parameters"]}
    assert roles["reduction"] == "reduction"


def test_every_function_has_a_meaning(model):
    for function in model["intrinsics"]:
        whole = function["kind"] in ("number", "bits", "test")
        assert ("floats" in function) == (function["kind"] != "bits"), function["op"]
        assert ("whole" in function) == whole, function["op"]


def test_the_page_shows_what_it_says(model, schema):
    page = Path("docs/model.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    silu = next(o for o in model["operators"] if o["name"] == "silu")
    assert json.loads(shown) == silu["computes"]["expression"]["nodes"]
    assert f"`opweave_model` is the version of the document, {model['opweave_model']} now" in page
    told = {*re.findall(r"`(\w+)`", page)}
    assert {*model} <= told
    assert {*schema["definitions"]["operator"]["required"]} <= told


def test_what_cannot_be_written():
    def run(*words):
        return subprocess.run([OPWEAVE, "model", *words, *FILES], capture_output=True, text=True)

    done = run("--out", "/proc/no/model.json")
    assert done.returncode == 1
    assert "/proc/no/model.json" in done.stderr
    done = run()
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "opweave: error: model needs --out",
    )
