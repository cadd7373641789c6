"""Functions that the interpreter calls let no C++ exception out: it would end the process."""

import re

from lint_test import CHECKOUT, sources

DEFINITION = re.compile(
    r"^(?:PyObject\*|int|Py_ssize_t|Py_hash_t) (\w+)\(([^)]*PyObject\*[^)]*)\)( noexcept)?( try)? \{(.*)$",
    re.MULTILINE,
)
# How its tables and slots name a function.
REGISTERED = (
    r"""\{{"\w+",\s*(?:[\w:<>]+,\s*)?&?{0}\b|\b(?:tp|nb|bf|sq|mp)_\w+ = &?{0}\b"""
    r"""|\w*cast<[^>]*>\(&?{0}\)"""
)
# What throws, or takes memory, which throws where there is none.
THROWS = re.compile(
    r"\b(?:OW_CHECK\w*|OW_THROW|check|str|to_layout|to_memory_format|to_dtype|to_int64|to_string_view)\("
    r"|std::(?:string|vector|make_\w+)\b|\bmake_(?:shared|intrusive)\b"
)


def unguarded(text: str) -> list[str]:
    """Functions that are registered, can throw, and have no `try`."""
    found = []
    for match in DEFINITION.finditer(text):
        name, _, _, guarded, rest = match.groups()
        if guarded or not re.search(REGISTERED.format(name), text):
            continue
        body = (
            rest
            if rest.rstrip().endswith("}")
            else text[match.end() : text.index("\n}", match.end())]
        )
        if THROWS.search(body):
            found.append(name)
    return found


def test_what_the_interpreter_calls_catches_what_it_throws() -> None:
    files = sources("bindings/*.cc")
    assert len(files) > 40
    found = {
        path: names
        for path in files
        if (names := unguarded((CHECKOUT / path).read_text(encoding="utf-8")))
    }
    assert not found, "these need `try {...} catch (...) { return set_python_error(); }`"


def test_the_rule_sees_what_it_should() -> None:
    table = '\nPyMethodDef m[] = {{"f", f, METH_NOARGS, "…"}};\nPyTypeObject t = [] { t.tp_repr = g; }();\n'
    guarded = (
        "PyObject* f(PyObject* self) try {\n  check(self);\n} catch (...) {\n  return e();\n}\n"
    )
    assert unguarded(guarded + table) == []
    assert unguarded("PyObject* f(PyObject* self) {\n  check(self);\n}\n" + table) == ["f"]
    assert unguarded("PyObject* g(PyObject* self) { return std::string(); }\n" + table) == ["g"]
    assert unguarded("PyObject* h(PyObject* self) {\n  check(self);\n}\n" + table) == []


# Of objects that may be written in Python, other than through interpreted().
CALLS_PYTHON = re.compile(
    r"(?<!interpreted\()\bPyObject_(?:Call(?!FinalizerFromDealloc)|Vectorcall)\w*\b"
)


def test_threads_that_end_in_python_code_unwind_nothing() -> None:
    found = [
        f"{path}: {match.group()}"
        for path in (*sources("bindings/python/*.cc"), *sources("bindings/python/*.h"))
        for match in CALLS_PYTHON.finditer((CHECKOUT / path).read_text(encoding="utf-8"))
        if not path.endswith("objects/interpreted.h")
    ]
    assert not found, (
        "call interpreted(PyObject_…, arguments): bindings/python/core/objects/interpreted.h"
    )


def test_the_rule_of_calls_sees_what_it_should() -> None:
    assert CALLS_PYTHON.search("check(PyObject_CallObject(f, a))")
    assert CALLS_PYTHON.search("PyObject_Vectorcall(f, a, 1, nullptr)")
    assert not CALLS_PYTHON.search("interpreted(PyObject_CallObject, f, a)")
    assert not CALLS_PYTHON.search("PyObject_CallFinalizerFromDealloc(self)")
