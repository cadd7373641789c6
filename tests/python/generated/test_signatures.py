"""The stubs say how each operator is called, and the running functions can be called that way."""

import ast
from pathlib import Path

import opweave as ow
import pytest
from calls import results, split
from cases import CASES, assert_all_same, cases
from operator_table import REQUIRED
from operators import OPERATORS

STUB = ast.parse((Path(ow.__file__).parent / "_generated.pyi").read_text())


def _functions(body):
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node.args)
    return found


METHODS = _functions(
    next(n.body for n in STUB.body if isinstance(n, ast.ClassDef) and n.name == "TensorMethods")
)
FUNCTIONS = _functions(STUB.body)


def _parameters(arguments):
    """[(name, keyword only, has a default)], without what Python adds to the schema."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [False] * (len(plain) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    found = [(a.arg, False, d) for a, d in zip(plain, defaults)]
    found += [
        (a.arg, True, d is not None) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)
    ]
    return [p for p in found if p[0] not in ("out", "requires_grad")]


def _wanted(operator, method):
    """The same from the schema. In functions `self` is called `input`, as in PyTorch."""
    arguments = [(a.name, a.keyword_only, a.default is not REQUIRED) for a in operator.arguments]
    if method:
        own = next(a for a in arguments if a[0] == "self")
        return [own, *(a for a in arguments if a is not own)]
    return [("input" if a[0] == "self" else a[0], *a[1:]) for a in arguments]


def _id(operator):
    return f"{operator.full_name}-signature"


@pytest.mark.parametrize("operator", [o for o in OPERATORS if o.method], ids=_id)
def test_method_is_in_stub(operator):
    assert _wanted(operator, True) in [_parameters(a) for a in METHODS[operator.name]]


def _has_stub(operator):
    return operator.function and not operator.module and not operator.name.startswith("_")


@pytest.mark.parametrize("operator", [o for o in OPERATORS if _has_stub(o)], ids=_id)
def test_function_is_in_stub(operator):
    assert _wanted(operator, False) in [_parameters(a) for a in FUNCTIONS[operator.name]]


def _results_of(node):
    return [field.target.id for field in node.body]


# By class: the names of the results of functions whose results have some.
RESULTS = {
    n.name: _results_of(n)
    for n in STUB.body
    if isinstance(n, ast.ClassDef) and [ast.unparse(base) for base in n.bases] == ["NamedTuple"]
}


def _said_results(name):
    """The names of results that the stub says of a function's overloads; None where they have none."""
    returned = [n.returns for n in STUB.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return [RESULTS.get(ast.unparse(node)) for node in returned]


def _home(operator):
    return getattr(ow._C, "_" + operator.module) if operator.module else ow._C


@pytest.mark.parametrize(
    "case", cases("names", lambda c: _has_stub(c.operator) and len(c.operator.returns) > 1)
)
def test_results_have_the_names_of_the_stub(case):
    positional, keywords = split(case.operator, case.fresh(case.values()))
    found = getattr(ow, case.operator.name)(*positional, **keywords)
    names = getattr(type(found), "__match_args__", None)
    assert (names and list(names)) in _said_results(case.operator.name)


@pytest.mark.parametrize("case", cases("keywords", lambda c: c.operator.function and c.has_values))
def test_call_by_keyword(case):
    """Every argument can be given by the name that it has in the stub."""
    positional, keywords = split(case.operator, case.fresh(case.values()))
    names = [n for n, *_ in _wanted(case.operator, False)]
    called = {**dict(zip(names, positional)), **keywords}
    found = getattr(_home(case.operator), case.operator.name)(**called)
    if case.operator.returns:
        assert_all_same(results(ow, found), case.results(case.fresh(case.values())))


@pytest.mark.parametrize("operator", OPERATORS, ids=_id)
def test_unknown_keyword_is_refused(operator):
    case = next(c for c in CASES if c.operator is operator)
    with pytest.raises(TypeError, match=r"keyword|no_such_argument"):
        case.run(case.fresh(case.values()), no_such_argument=1)
