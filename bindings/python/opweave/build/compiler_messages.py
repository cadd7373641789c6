"""What the compiler says, told of the entries in the YAML files that it is about."""

import difflib
import re
from pathlib import Path

_GCC = re.compile(
    r"^(?P<file>[^\s:].*?):(?:(?P<line>\d+):)?(?:\d+:)? (?:fatal )?error: (?P<text>.*)$"
)
_NVCC = re.compile(
    r"^(?P<file>[^\s(].*?)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$"
)
_PLACE = re.compile(r"^(?:In file included from |\s+from )?(?P<file>/.+?):(?P<line>\d+)[:,]")
_NVCC_PLACE = re.compile(r"at line (?P<line>\d+) of (?P<file>/.+)$")
# What the linker says before the compiler says that it failed.
_LINKER = re.compile(r"^(?:\S*/)?ld(?:\.\w+)?: (?P<text>(?!warning:).+)$")
_NO_HEADER = re.compile(
    r"(?P<folder>opweave/(?:ops|kernels/(?P<target>\w+)))/(?P<name>\w+)\.h'?(?::? No such| file not)"
)
_NO_SPACE = ("No space left on device", "Disk quota exceeded")


def _error(line):
    return _NVCC.match(line) or _GCC.match(line)


def _place(line):
    found = _error(line)
    if found and found["line"]:
        return found
    return _PLACE.match(line) or _NVCC_PLACE.search(line)


def _identifier(name):
    """As the generator names an operator in C++."""
    return name.replace(".", "_").replace("::", "_")


# What a line at the left edge defines: a type, or a function, which may be one of a class.
_DEFINED = re.compile(
    r"^(?:(?:static|inline|constexpr|extern|template <[^>]*>) )*"
    r"(?:(?:struct|class|using) (?P<type>\w+)|[A-Za-z_][^=;(]*?\b(?P<name>\w+)(?:::\w+)?[({])"
)
# The operator whose kernel a file defines, and those that a line of a table is about.
_KERNEL = re.compile(r'^\s*#\s*include\s*"opweave/kernels/\w+/(\w+)\.h"', re.MULTILINE)
_OF_TABLE = re.compile(r"(?:\bops::|\bTORCH_FN\()(\w+)")
_HEADER_OF_ONE = re.compile(r"/opweave/(?:ops|kernels/\w+)/(\w+)\.h$")


def _camel_case(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _named(word, operators):
    """The operator that generated code names so: itself, itself and what it is for, or its node."""
    if node := re.fullmatch(r"(\w+)Backward\d+", word):
        bases = ((_camel_case(op["name"].partition(".")[0]), op) for op in operators)
        return next((op for name, op in bases if name == node[1]), None)
    fitting = (op for op in operators if f"{word}_".startswith(_identifier(op["name"]) + "_"))
    return max(fitting, key=lambda op: len(op["name"]), default=None)


def _lines(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # it was elsewhere when what is compiled was written
        return []


def _definitions(lines):
    """Pairs of a line's number and what it defines."""
    found = ((number, _DEFINED.match(text)) for number, text in enumerate(lines, 1))
    return [(number, m["type"] or m["name"]) for number, m in found if m]


def _of_generated(path, line, operators):
    """The operator of a line in a generated file: that of the definition which the line is in."""
    named = {_identifier(op["name"]): op for op in operators}
    if found := _HEADER_OF_ONE.search(str(path)):
        return named.get(found[1])
    lines = _lines(path)
    if not any("Generated from" in text for text in lines[:3]):
        return None  # what all libraries have
    above = [word for number, word in _definitions(lines) if number <= line]
    if above and (op := _named(above[-1], operators)):
        return op
    words = _OF_TABLE.findall(lines[line - 1]) if 0 < line <= len(lines) else []
    return next((op for word in words if (op := _named(word, operators))), None)


def _of_handwritten(path, line, operators):
    """The operator whose kernel a line belongs to: of several the one defined there, or the next."""
    lines = _lines(path)
    names = set(_KERNEL.findall("\n".join(lines)))
    own = {op["name"].partition(".")[0]: op for op in reversed(operators)}
    own = {name: op for name, op in own.items() if name in names}
    if len(own) < 2:
        return next(iter(own.values()), None)
    places = [(number, word) for number, word in _definitions(lines) if word in own]
    above = [word for number, word in places if number <= line]
    below = [word for number, word in places if number > line]
    return own[above[-1] if above else below[0]] if places else None


def _places(lines, at):
    """Where an error is, and what the compiler names around it: where templates and macros are used."""
    before, after = at, at + 1
    while before > 0 and not _error(lines[before - 1]):
        before -= 1
    while after < len(lines) and not _error(lines[after]):
        after += 1
    near = [lines[at], *reversed(lines[before:at]), *lines[at + 1 : after]]
    return [(found["file"], int(found["line"])) for found in map(_place, near) if found]


def _entry_of(lines, at, generated, kernels, operators):
    """The operator that an error is about, and whether its code is generated; None if no place tells."""
    for path, line in _places(lines, at):
        resolved = Path(path).resolve()
        if resolved.is_relative_to(generated) and (op := _of_generated(resolved, line, operators)):
            return op, True
        written = [op for op in operators if not op["derived"]]
        if resolved in kernels and (op := _of_handwritten(resolved, line, written)):
            return op, False
    return None, False


def entry_lines(op):
    """The line of the entry, with a caret below the schema, as the generator shows it."""
    file, _, number = op["place"].rpartition(":")
    try:
        text = (
            Path(file).read_text(encoding="utf-8", errors="replace").splitlines()[int(number) - 1]
        )
    except (OSError, ValueError, IndexError):
        text = op.get("entry", "")
    if not text:
        return ""
    start = max(text.find("func:"), 0)
    column = start + len("func: ") if "func:" in text else len(text) - len(text.lstrip())
    return f"{int(number):>5} | {text}\n      | {' ' * column}{'^' * max(len(text) - column, 1)}\n"


def _hint(text, folders):
    """Of a header of an operator that is not there: which operator may be meant."""
    found = _NO_HEADER.search(text)
    if not found:
        return ""
    there = {header.stem for f in folders for header in (f / found["folder"]).glob("*.h")}
    near = difflib.get_close_matches(found["name"], sorted(there), 1)
    kind = f" with a handwritten kernel for '{found['target']}'" if found["target"] else ""
    meant = f"; did you mean '{near[0]}'?" if near else ""
    return f"  there is no operator '{found['name']}'{kind}{meant}\n"


def _linker_words(lines, at):
    """What the linker said above a line, if that says that it failed."""
    if " ld returned " not in lines[at]:
        return ""
    said = [found["text"] for line in lines[:at] if (found := _LINKER.match(line))]
    return f"error: the linker says\n  {said[0]}\n" if said else ""


def explain(output, generated, kernels, operators, headers=(), twice=()):
    """A compiler's output as errors of entries: the line of each, and the compiler's words.

    Args:
        output: of ninja.
        generated: the folder of generated files.
        kernels: the handwritten ones.
        operators: what the generator lists.
        headers: folders of the core's headers.
        twice: what the linker found twice: pairs of an operator, or None, and what is to say.
    """
    lines = output.splitlines()
    kernels = {path.resolve() for path in kernels}
    parts = {}  # the first of each operator
    for op, text in twice:
        place, entry = (f"{op['place']}: ", entry_lines(op)) if op else ("", "")
        parts.setdefault(text, f"{place}error: {text}\n{entry}")
    for at, found in enumerate(map(_error, lines)):
        if not found:
            continue
        op, is_generated = _entry_of(lines, at, generated.resolve(), kernels, operators)
        words = f"  {found['file']}:{found['line'] or ''} {found['text']}\n"
        words += _hint(found["text"], (generated, *headers))
        if op is None and twice and _linker_words(lines, at):
            continue  # it has been told
        if op is None:
            said = _linker_words(lines, at) or f"error: the compiler says\n{words}"
            parts.setdefault(said, said)
            continue
        what = "what is generated for" if is_generated else "the kernel of"
        parts.setdefault(
            op["place"],
            f"{op['place']}: error: {what} '{op['name']}' does not compile\n{entry_lines(op)}{words}",
        )
    shown = list(parts.values())[:10]
    if any(text in output for text in _NO_SPACE):
        shown.append("error: there is no space left for what the compiler writes\n")
    return "".join(shown) + "the compiler's output:\n" + _indented(output)


def _indented(output):
    lines = output.strip().splitlines()
    shown = (
        lines
        if len(lines) <= 30
        else [*lines[:30], f"… and {len(lines) - 30} lines more (--verbose)"]
    )
    return "\n".join(f"  {line}" for line in shown)
