"""What the compiler says, told of the entries in the YAML files that it is about."""

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


def _about(path, line, operators):
    """The operator of a line in a generated file: the last that is named at or above it."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[:line]
    except OSError:  # it was elsewhere when what is compiled was written
        return None
    named = {_identifier(op["name"]): op for op in operators}
    pattern = re.compile(r"[A-Za-z_]\w*")
    for text in reversed(lines):
        for word in reversed(pattern.findall(text)):
            for end in (
                "",
                "_expr",
                "_kernel",
                "_loops",
                "_autograd",
                "_spec",
                "_rule",
                "_meta",
                "_cuda",
            ):
                if word.endswith(end) and (op := named.get(word[: len(word) - len(end)])):
                    return op
    return None


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
        if resolved.is_relative_to(generated) and (op := _about(resolved, line, operators)):
            return op, True
        written = [op for op in operators if not op["derived"]]
        if resolved in kernels and (op := _about(resolved, line, written)):
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


def explain(output, generated, kernels, operators):
    """A compiler's output as errors of entries: the line of each, and the compiler's words.

    Args:
        output: of ninja.
        generated: the folder of generated files.
        kernels: the handwritten ones.
        operators: what the generator lists.
    """
    lines = output.splitlines()
    kernels = {path.resolve() for path in kernels}
    parts = {}  # the first of each operator
    for at, found in enumerate(map(_error, lines)):
        if not found:
            continue
        op, is_generated = _entry_of(lines, at, generated.resolve(), kernels, operators)
        words = f"  {found['file']}:{found['line'] or ''} {found['text']}\n"
        if op is None:
            parts.setdefault(words, f"error: the compiler says\n{words}")
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
