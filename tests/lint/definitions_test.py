"""No two headers define a type of one name: the linker would keep the functions of one of them for both."""

import re
from collections import defaultdict

from lint_test import CHECKOUT, sources

OPENS = re.compile(r"namespace ([\w:]*) ?\{\s*$")
CLOSES = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)(?: final)?(?:\s*:[^:;][^;]*)?\s*\{")
# What is compiled into other programs than the rest: emitted packages, libraries for every release.
ELSEWHERE = ("/support/", "runtime/stable/include/", "tests/", "examples/", "benchmarks/")


def types(text):
    """The types that a header defines at the outermost level of its namespaces."""
    spaces = []
    for line in text.splitlines():
        if found := OPENS.match(line):
            spaces.append(found[1])
        elif CLOSES.match(line) and spaces:
            spaces.pop()
        elif found := TYPE.match(line):
            yield "::".join([*spaces, found[1]])


def test_types_are_found():
    text = (
        "namespace a::b {\nstruct X {\n};\nnamespace c {\nclass Y final : X {\n}  // namespace c\n"
    )
    assert list(types(text)) == ["a::b::X", "a::b::c::Y"]


def test_a_type_is_defined_in_one_header():
    found = defaultdict(list)
    for name in sources("*.h"):
        if not any(part in name for part in ELSEWHERE):
            for type_name in types((CHECKOUT / name).read_text()):
                found[type_name].append(name)
    assert len(found) > 500
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
