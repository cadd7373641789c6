"""Operators whose arguments are called what emitters call their own variables.

make_operators.py OWN_NAMES OPS DERIVATIVES

Prints as many operators of each kind as the BUILD file declares, with other names where there are no more.
"""

import re
import sys
from pathlib import Path

COUNT = 38
ARGUMENTS = 4
# Names that emitters make of an argument `x`.
DERIVED = [
    "x",
    "x_at",
    "x_count",
    "x_node",
    "x_t",
    "has_x",
    "x_is_y",
    "arg_x",
    "t0",
    "t1",
    "released",
]
# Words of the languages in which entries are written: these cannot be called so.
RESERVED = {
    "final",
    "override",
    "none",
    "int64_t",
    "size_t",
    "call",
    "self",
    "name",
    "grads",
    "grad_input_mask",
}
# What no argument of a differentiable expression may be called.
GRADIENTS = {"grad", "result"}
ENTRY = """\
- func: {name}({arguments}{more}) -> Tensor
  {how}
  {types}doc: For its names.
  samples: {{{samples}}}
"""


def names(text: str) -> list[str]:
    listed = re.findall(r"^OW_\w+_NAME\(([a-z]\w*)\)$", text, re.MULTILINE)
    wanted = sorted({*listed, *DERIVED} - RESERVED)
    room = COUNT * ARGUMENTS
    if len(wanted) > room:
        raise SystemExit(f"{len(wanted)} names are too many for {COUNT} operators: raise COUNT")
    return wanted + [f"spare{i}" for i in range(room - len(wanted))]


def main() -> None:
    own, ops, derivatives = map(Path, sys.argv[1:])
    words = names(own.read_text())
    entries, gradients = [], []
    for i in range(COUNT):
        group = words[i * ARGUMENTS : (i + 1) * ARGUMENTS]
        a, b, c, d = group
        arguments = ", ".join(f"Tensor {name}" for name in group)
        samples = ", ".join(f"{name}: real" for name in group)
        for kind, how, types, more in (
            ("expr", f"expr: {a} * {b} + {c} * {d}", "dtypes: floating\n  ", ""),
            ("formula", f"composite: mul(add({a}, {b}), add({c}, {d}))", "", ""),
            ("kernel", "kernels: [cpu]", "", ""),
        ):
            if kind == "expr" and GRADIENTS & set(group):
                types += "differentiable: false\n  "
            fields = {"how": how, "types": types, "more": more, "samples": samples}
            entries.append(ENTRY.format(name=f"named_{kind}_{i}", arguments=arguments, **fields))
        gradients.append(f"- name: named_kernel_{i}\n")
        gradients += [
            f"  {x}: grad * {y} * {z}\n" for x, y, z in ((a, b, c), (b, a, d), (c, d, a), (d, c, b))
        ]
    ops.write_text("".join(entries))
    derivatives.write_text("".join(gradients))


main()
