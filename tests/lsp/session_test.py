"""Sessions of the language server with a real client."""

import json
import subprocess
import time
from pathlib import Path

import pytest
from client import SERVER, Session

# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
OPS = """\
- func: scale(Tensor self, float factor=2) -> Tensor
  expr: self * factor
- func: total(Tensor self, int dim) -> Tensor
  roles: {dim: dim}
  kernels: [cpu]
  samples: [{self: real(2x3), dim: 0}]
- func: total_backward(Tensor grad, int dim) -> Tensor
  kernels: [composite]
  internal: true
"""
DERIVATIVES = """\
- name: total
  self: total_backward(grad, dim)
"""


@pytest.fixture
def session():
    session = Session()
    yield session
    assert session.end() == 0


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "ops.yaml", tmp_path / "derivatives.yaml"
    for path, text in zip(paths, (OPS, DERIVATIVES)):
        path.write_text(text, encoding="utf-8")
    return paths


def shape(diagnostic):
    start, end = diagnostic.range.start, diagnostic.range.end
    return diagnostic.code, start.line, start.character, end.character


def test_initialize_to_exit(session):
    assert session.answer.server_info.name == "opweave"
    assert session.answer.capabilities.text_document_sync.change == 2


def test_diagnostics_follow_edits(session, files):
    ops, derivatives = files
    session.open(ops)
    assert session.diagnostics(ops) == []
    session.edit(ops, (6, 22), (6, 22), "s")
    (found,) = session.diagnostics(derivatives)
    assert shape(found) == ("OW0203", 1, 8, 22)
    assert "did you mean 'total_backwards'?" in found.message
    assert found.related_information
    session.edit(ops, (6, 22), (6, 23), "")
    assert session.diagnostics(derivatives) == []


def test_many_edits_in_one_document(session, files):
    """Typed letter by letter, with the version that is answered last."""
    ops, _ = files
    session.open(ops)
    line = len(OPS.splitlines())
    for i, letter in enumerate("- func: f(Tensor self) -> Tensor\n"):
        session.edit(ops, (line, i), (line, i), letter)
    session.edit(ops, (line + 1, 0), (line + 1, 0), "  expr: -slef\n")
    (found,) = session.diagnostics(ops, session.versions[ops])
    assert shape(found) == ("OW0202", line + 1, 9, 13)


def test_columns_behind_tabs_and_wide_characters(session, tmp_path):
    ops = tmp_path / "ops.yaml"
    text = "- func: f(Tensor self, str s='x') -> Tensor\n  expr:\t\"s == 'é𝄞字' ? slef : self\"\n"
    session.open(ops, text)
    (found,) = session.diagnostics(ops)
    line = text.splitlines()[1]
    column = len(line[: line.index("slef")].encode("utf-16-le")) // 2
    assert column == line.index("slef") + 1  # the clef takes two units
    assert shape(found) == ("OW0202", 1, column, column + 4)
    session.edit(ops, (1, column), (1, column + 4), "self")
    assert session.diagnostics(ops, 2) == []


def test_fixes(session, tmp_path):
    ops = tmp_path / "ops.yaml"
    session.open(ops, "- func: f(Tensor self) -> Tensor\n  expr: -self\n  varaints: method\n")
    (found,) = session.diagnostics(ops)
    types = session.types
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(ops.as_uri()),
        found.range,
        types.CodeActionContext(diagnostics=[found]),
    )
    (action,) = session.request("text_document_code_action_async", params)
    (edit,) = action.edit.changes[ops.as_uri()]
    assert (edit.new_text, edit.range) == ("variants", found.range)


def test_hover(session, files):
    ops, derivatives = files
    session.open(ops)
    session.open(derivatives)
    text = session.hover(ops, OPS, "scale", 2)
    assert "Tensor opweave::scale(const Tensor& self, double factor = 2.0);" in text
    assert "opweave.scale(input, factor=2, *, out=None) -> Tensor" in text
    assert "∂scale/∂self = factor" in text
    assert "dresult = dself·factor" in text
    assert "A pointwise expression" in session.hover(ops, OPS, "expr", 1)
    assert "double factor" in session.hover(ops, OPS, "factor", 1)
    assert "total_backward" in session.hover(derivatives, DERIVATIVES, "total_backward", 3)


def test_completion(session, files):
    ops, derivatives = files
    session.open(ops, OPS + "  \n")
    assert "doc" in session.completions(ops, OPS + "  \n", "true\n  ", 7)
    assert "composite" in session.completions(ops, OPS, "cpu", 1)
    session.open(derivatives)
    assert {"grad", "self", "scale"} <= session.completions(derivatives, DERIVATIVES, ": total_", 3)


def test_jumps_in_the_checkout(session):
    """Between operator, derivative, kernel and tests of this repository."""
    ops, derivatives = CHECKOUT / "ops.yaml", CHECKOUT / "derivatives.yaml"
    text = {path: path.read_text(encoding="utf-8") for path in (ops, derivatives)}
    session.open(ops)
    session.open(derivatives)
    assert session.diagnostics(ops) == []

    def line(path, start):
        lines = path.read_text(encoding="utf-8").splitlines()
        number = next(i for i, found in enumerate(lines, 1) if found.startswith(start))
        return f"{'/'.join(path.parts[-2:])}:{number}"

    entry = line(ops, "- func: sum.dim_IntList(")
    kernel = line(CHECKOUT / "kernels/cpu/reduction/reduce.cc", "void sum_dim_IntList(")
    in_derivatives = (derivatives, text[derivatives], "name: sum.dim_IntList", 7)
    in_ops = (ops, text[ops], "func: sum.dim_IntList", 7)
    assert session.jump("definition", *in_derivatives) == [entry]
    assert session.jump("declaration", *in_derivatives) == [entry]
    assert session.jump("implementation", *in_derivatives) == [kernel]
    assert session.jump("definition", *in_ops) == [kernel]
    references = session.references(*in_ops)
    assert {entry, kernel, line(derivatives, "- name: sum.dim_IntList")} <= set(references)
    assert any(place.startswith("cases/reductions.py:") for place in references)
    use = (derivatives, text[derivatives], "self: sum_backward", 9)
    assert session.jump("definition", *use) == [line(ops, "- func: sum_backward(")]


def test_symbols(session, files):
    ops, _ = files
    session.open(ops)
    types = session.types
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(ops.as_uri()))
    found = session.request("text_document_document_symbol_async", params)
    assert [symbol.name for symbol in found] == ["scale", "total", "total_backward"]
    assert [child.name for child in found[1].children] == ["func", "roles", "kernels", "samples"]


def made_up(count):
    entry = (
        "- func: made_up_{i}(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
        "  expr: alpha * self * sin(other) + {i}\n"
    )
    return "".join(entry.format(i=i) for i in range(count))


# The limits hold on a machine that does much else; the time itself is printed.
@pytest.mark.parametrize(("count", "limit"), [(500, 1.0), (5000, 5.0)])
def test_latency(session, tmp_path, count, limit, capsys):
    """From an edit to its diagnostics, in a large file."""
    ops = tmp_path / "ops.yaml"
    session.open(ops, made_up(count))
    assert session.diagnostics(ops) == []
    taken = []
    for _ in range(5):
        for text, wrong in (("x", 1), ("", 0)):
            start = time.monotonic()
            session.edit(ops, (1, 8), (1, 13 if wrong else 9), text if wrong else "alpha")
            found = session.diagnostics(ops, session.versions[ops])
            taken.append(time.monotonic() - start)
            assert len(found) == wrong
    with capsys.disabled():
        print(f"\n{count} operators, edit to diagnostics: {1000 * min(taken):.0f} ms")
    assert min(taken) < limit


# --- messages that no client sends ----------------------------------------------------------------


def framed(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def talk(stream):
    """What the server answers to these bytes, and its exit status."""
    result = subprocess.run(
        [SERVER, "lsp"], input=stream, capture_output=True, timeout=20, check=False
    )
    answers, rest = [], result.stdout
    while rest:
        header, rest = rest.split(b"\r\n\r\n", 1)
        length = int(header.split(b":")[1])
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return answers, result.returncode


def request(number, method):
    return framed(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {}}).encode()
    )


def test_malformed_input_costs_nothing():
    answers, status = talk(
        request(1, "initialize")
        + framed(b"{")
        + b"Nonsense: 3\r\n\r\n{}"
        + framed(b"[1, 2]")
        + request(2, "no/such")
        + request(3, "shutdown")
        + framed(b'{"jsonrpc": "2.0", "method": "exit"}')
    )
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes == [None, -32700, -32700, -32600, -32601, None]
    assert [answer["id"] for answer in answers] == [1, None, None, None, 2, 3]
    assert status == 0


def test_a_client_that_goes_away():
    assert talk(request(1, "initialize")[:-1]) == ([], 1)
    assert talk(b"")[1] == 1
