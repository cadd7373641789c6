"""What two files define: the linker's words, told of entries and files."""

import re

# GNU's linkers, and LLVM's.
_TWICE = re.compile(r"multiple definition of [`'](?P<gnu>[^']+)'|duplicate symbol: (?P<lld>.+)$")
_OBJECT = re.compile(r"\b(?P<kind>kernel|generated)_(?P<stem>\S+?)_\d+\.o\b")
_KERNEL = re.compile(r"opweave::(?P<target>\w+)::(?P<name>\w+)\(")
# Above and below the line that names what is defined twice, those that name where.
_ABOVE, _BELOW = 1, 5


def by_identifier(operators):
    """Operators by their names in C++."""
    return {op["name"].replace(".", "_"): op for op in operators}


def _places(lines, at, kernels):
    """The files whose objects are named around a line."""
    below = lines[at + 1 : at + 1 + _BELOW]
    ends = [i for i, line in enumerate(below) if _TWICE.search(line)]
    near = [*lines[max(at - _ABOVE, 0) : at + 1], *below[: ends[0] if ends else None]]
    found = {}
    for match in (match for line in near for match in _OBJECT.finditer(line)):
        same = [str(path) for path in kernels if path.stem == match["stem"]]
        found[" or ".join(same) if same else "what is generated"] = None
    return list(found)


def duplicates(output, kernels, operators):
    """Errors of what a linker finds twice: pairs of the operator it is a kernel of, or None, and the text.

    Args:
        output: of the linker.
        kernels: paths of the handwritten files.
        operators: by their names in C++.
    """
    lines, found = output.splitlines(), {}
    for at, match in enumerate(map(_TWICE.search, lines)):
        if not match:
            continue
        function = match["gnu"] or match["lld"]
        places = " and ".join(_places(lines, at, kernels)) or "two files"
        kernel = _KERNEL.search(function)
        op = operators.get(kernel["name"]) if kernel else None
        if op:
            text = f"the kernel of '{op['name']}' is defined twice, in {places}: keep one of them"
        else:
            text = (
                f"'{function}' is defined twice, in {places}: keep one of them, declare it static, or, in a "
                "header, inline"
            )
        found.setdefault(function, (op, text))
    return list(found.values())
