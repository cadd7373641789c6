"""Every key with every value: what is wrong is refused with a place, what is accepted is generated.

The keys are those of the table that the checker itself goes by; a new one is tried without a line here.
"""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from trying import OPWEAVE, complaint, run

# Entries with nothing but what they need: the key that is tried takes the place of its own line.
BASES = {
    "expr": {
        "func": "f(Tensor self, Tensor other, *, Scalar alpha=1, str mode='x') -> Tensor",
        "expr": "\"mode == 'x' ? self + alpha * other : self\"",
    },
    "kernel": {
        "func": "f(Tensor self, Tensor other, int n=1, int[2] size=[]) -> Tensor",
        "kernels": "[cpu]",
        "roles": "{n: number, size: number}",
        "result": "self.sizes()",
        "differentiable": "false",
        "samples": "[{self: real(2x3), other: real(2x3)}]",
    },
    "composite": {
        "func": "f(Tensor self, Tensor other, int n=1) -> Tensor",
        "composite": "g(self, other)",
    },
    "in place": {
        "func": "f_(Tensor(a!) self, Tensor other, int n=1) -> Tensor(a!)",
        "kernels": "[cpu]",
        "differentiable": "false",
        "samples": "[{self: real(2x3), other: real(2x3)}]",
    },
}
# What formulas call.
BESIDE = "- func: g(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n"
NAMES = [
    *[
        "self",
        "other",
        "alpha",
        "mode",
        "n",
        "size",
        "g",
        "f",
        "lambda",
        "None",
        "class",
        "__class__",
    ],
    *[
        "_f",
        "relu",
        "print",
        "f.g",
        "default",
        "nothing",
        "Tensor",
        "cpu",
        "meta",
        "view",
        "composite",
    ],
    "every_target",
]
# One in each line; the first is nothing.
VALUES = """
[]
{}
none
true
false
0
-1
1.5
inf
'a b'
'%s {x} $y$ */ \\'
[[]]
[0]
[true, false]
[real, real]
{self: []}
{self: {}}
{self: [none]}
{self: 1}
{n: []}
{n: [1, 2]}
{n: text}
{n: 1.5}
{n: real}
{mode: 1}
{mode: real}
{alpha: x}
{alpha: []}
{other: none}
{other: real, self: unit}
{nothing: real}
[{}]
[{self: real(2)}]
[{self: 1}]
[{self: real(2), other: real(3)}]
[{self: real(2), other: real(2), size: [1, 2, 3]}]
[{self: real(2), other: real(2), n: none}]
{self: self}
{n: dim}
{other: floating}
{n: floating}
{d: self.dim()}
{d: none}
{self.dim() == 1: 'no'}
{n > 0: 'KeyError: no'}
{1 > 0: 'no'}
{n > 0: 'ValueError: {n}'}
{self: 'no'}
[self.size(0)]
["floor_div(n, 0)"]
[n - 2]
[2, 3]
{sizes: self.sizes(), dtype: bool}
{sizes: [], dtype: n}
{sizes: self.sizes(), device: cpu}
data
self / 0
self + nothing
self.sizes()
g(self)
g(self, other)
f(self, other)
{cpu: fp32}
{example: g(self, other)}
{batch: other}
h(input) with n=2
h(input, other, inplace)
h(lambda)
'f(Tensor self) -> Tensor'
'f(Tensor self, int lambda) -> Tensor'
'f() -> Tensor'
__add__
__neg__
""".splitlines()


def keys_of(schema):
    """The keys that an entry that is no object may have, and what is said of each."""
    entry = schema.get("items", schema)
    return entry.get("else", entry)["properties"]


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    out = tmp_path_factory.mktemp("schemas")
    assert run("schema", "--out", out).returncode == 0
    return {path.name.split(".")[0]: json.loads(path.read_text()) for path in out.iterdir()}


def words_of(schema):
    """The words that a key takes."""
    if isinstance(schema, dict):
        for name, value in schema.items():
            yield from map(str, value) if name == "enum" else words_of(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from words_of(item)


def entry(fields):
    lines = [f"{key}: {value}\n" for key, value in fields.items()]
    return "- " + "  ".join(lines)


@pytest.mark.parametrize("base", BASES)
def test_every_key_takes_or_refuses_every_value(base, schemas, tmp_path):
    schema = schemas["ops"]
    keys = keys_of(schema)
    assert {"samples", "nn_function", "suits", "tags", "result"} <= set(keys)
    texts = [
        entry({**BASES[base], key: value}) + BESIDE
        for key, about in keys.items()
        for value in [*VALUES, *NAMES, *(f"[{name}]" for name in NAMES[:7]), *words_of(about)]
    ]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda pair: complaint(tmp_path, *pair), enumerate(texts))
        bad = [f"{text}\n{what}" for text, what in zip(texts, found, strict=True) if what]
    assert not bad, f"{len(bad)} of {len(texts)}\n\n" + "\n\n".join(bad[:10])


@pytest.mark.parametrize("file", ["derivatives", "target"])
def test_keys_of_other_files(file, schemas, tmp_path):
    keys = [*keys_of(schemas[file]), "self", "other"]
    base = {"name": "g"} if file == "derivatives" else {"name": "npu"}
    (tmp_path / "ops.yaml").write_text(BESIDE)
    option = "--derivatives" if file == "derivatives" else "--target-file"
    bad = []
    for number, (key, value) in enumerate((k, v) for k in keys for v in [*VALUES, *NAMES]):
        lines = [f"{k}: {v}\n" for k, v in {**base, key: value}.items()]
        path = tmp_path / f"{number}.yaml"
        path.write_text("- " + "  ".join(lines) if file == "derivatives" else "".join(lines))
        words = ["gen", "--out", tmp_path / "out", "--ops", tmp_path / "ops.yaml", option, path]
        done = subprocess.run([OPWEAVE, *words], capture_output=True, text=True, check=False)
        located = f"{path}:" in done.stderr or f"{tmp_path / 'ops.yaml'}:" in done.stderr
        if done.returncode not in (0, 1) or (done.returncode == 1 and not located):
            bad.append(f"{path.read_text()}\n{done.returncode}: {done.stderr}")
    assert not bad, "\n\n".join(bad[:10])
