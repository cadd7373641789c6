"""Makes the program of a finding smaller while it still does what was found."""

import re


def _pieces(line):
    """Shorter forms of a line: an argument less, a simpler value."""
    for match in re.finditer(r", [\w.]+=\w+(?=[,)])", line):
        yield line[: match.start()] + line[match.end() :]
    for shorter in (r"ow\.stack\(\[(.*)\] \* 2, -1\)\[\.\.\., 0\]", r"(.*)\.requires_grad_\(\)"):
        yield re.sub(shorter, r"\1", line)
    yield re.sub(
        r"ow\.tensor\(\[[^\]]*\], dtype=(ow\.\w+)\)\.reshape\((\([^)]*\))\)",
        r"ow.ones(\2, dtype=\1)",
        line,
    )
    name = line.split(" = ")[0]
    if re.fullmatch(r"a\d+", name):
        yield f"{name} = None"
        yield f"{name} = 1"


def _smaller(lines):
    """Programs that are one step smaller."""
    for i in range(len(lines)):
        yield lines[:i] + lines[i + 1 :]
    for i, line in enumerate(lines):
        for shorter in _pieces(line):
            if shorter != line and len(shorter) <= len(line):
                yield [*lines[:i], shorter, *lines[i + 1 :]]


def minimised(program, still_found, most=30):
    """The smallest program reached for which `still_found` holds, after so many attempts."""
    lines, attempts, again = program.splitlines(), 0, True
    while again:
        again = False
        for candidate in _smaller(lines):
            if attempts >= most:
                return "\n".join(lines)
            attempts += 1
            if still_found("\n".join(candidate)):
                lines, again = candidate, True
                break
    return "\n".join(lines)
