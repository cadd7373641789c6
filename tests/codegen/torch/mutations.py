"""Mistakes in PyTorch's own native_functions.yaml, one at a time, drawn from a seed."""

import re
from collections import defaultdict

VALUES = """
3 True no [] [a] {} '' x 1.5 ~ f.out method core inplace_view view_copy NoCheck nn 2020-01-01
""".split()  # noqa: SIM905
VALUES += ["{a: b}", "function, method", "[core, pointwise]"]
KEYS = """
CPU CUDA Meta CompositeExplicitAutograd CompositeImplicitAutograd XLA AutogradCPU Undefined SparseCPU
CompositeExplicitAutogradNonFunctional CompositeImplicitAutogradNestedTensor
""".split()  # noqa: SIM905
# What stands in a schema, and what may stand there by mistake.
SCHEMA = [
    ("(a!)", ""), ("(a!)", "(a)"), ("(a!)", "(b!)"), ("(a)", ""), ("(a)", "(a!)"), ("(a)", "(b)"),
    ("*, ", ""), (", ", ","), ("(Tensor self", "(Tensor input"), ("self", "slef"), (" -> ", " ->"),
    ("-> Tensor", "-> ()"), ("-> Tensor", "-> (Tensor)"), ("-> Tensor", "-> int"),
    ("-> Tensor", "-> Tensor?"), ("-> Tensor", "-> Tensor[2]"), ("-> (Tensor", "-> (int"),
    ("_(", "("), ("(", "_("), ("(", "_out("), (".out(", ".other("), ("(", "_functional("),
    ("int ", "int[] "), ("int ", "bool[] "), ("Tensor other", "Tensor(z!) other"), ("int ", "Dimname "),
    ("=None", ""), ("=False", ""), ("Scalar ", "Foo "), ("Tensor other", "Tensor lambda"),
    (")", ", Generator? generator=None)"), (")", ", int extra)"), (")", ", bool requires_grad)"),
]  # fmt: skip


def entries(text):
    """The lines of each entry, without comments."""
    found = []
    for line in text.splitlines():
        line = re.sub(r"\s+#.*$", "", line)
        if line.startswith("- "):
            found.append([line])
        elif found and line.strip() and not line.lstrip().startswith("#"):
            found[-1].append(line)
    return found


def name_of(entry):
    return entry[0].removeprefix("- func: ").split("(")[0]


def family(name):
    """Forms, overloads and copies of views are checked together."""
    base = re.sub(r"^__i?([a-z]+)__$", r"\1", name.split(".")[0]).removesuffix("_")
    return re.sub("(_copy|_scatter|_inverse|_functional)$", "", base)


def families(found):
    groups = defaultdict(list)
    for entry in found:
        groups[family(name_of(entry))].append(entry)
    return {name: group for name, group in groups.items() if len(group) <= 14}


def fields(entry):
    """(first line, line behind the last, key) of all but `func`."""
    found = []
    for number, line in enumerate(entry[1:], 1):
        if match := re.match(r"  ([a-z_]+):", line):
            found.append([number, number + 1, match[1]])
        elif found:
            found[-1][1] = number + 1
    return found


def of_schema(entry, draw):
    known = [(old, new) for old, new in SCHEMA if old in entry[0]]
    old, new = draw.choice(known)
    at = draw.choice([match.start() for match in re.finditer(re.escape(old), entry[0])])
    return [entry[0][:at] + new + entry[0][at + len(old) :], *entry[1:]]


def of_key(entry, draw, others):
    begin, end, key = draw.choice(fields(entry))
    before, lines, after = entry[:begin], entry[begin:end], entry[end:]
    other = [o[b:e] for o in (draw.choice(others),) for b, e, _ in fields(o)]
    changes = [
        [],
        lines * 2,
        ["  " + key[1:] + lines[0][2 + len(key) :], *lines[1:]],
        [f"  {key}: {draw.choice(VALUES)}"],
        [*lines[:-1], lines[-1] + "x"],
        [*lines[:-1], lines[-1][:-1]],
        [*lines, *(draw.choice(other) if other else [])],
    ]
    if end - begin > 1:
        name, kernel = lines[-1].split(":", 1)
        indent = name[: len(name) - len(name.lstrip())]
        changes += [
            lines[:-1],
            [*lines[:-1], f"{indent}{draw.choice(KEYS)}:{kernel}"],
            [*lines, f"{indent}{draw.choice(KEYS)}: added"],
            [*lines[:-1], lines[-1] + "_symint"],
        ]
    return before + draw.choice(changes) + after


def mistakes(text, draw, count):
    """Files of one family each, with one mistake."""
    found = entries(text)
    groups = families(found)
    names = sorted(groups)
    for _ in range(count):
        group = groups[draw.choice(names)]
        at = draw.randrange(len(group))
        changed = group[at]
        way = draw.random()
        if way < 0.1:
            group = group[:at] + group[at + 1 :]
        else:
            by_key = way > 0.5 and fields(changed)
            changed = of_key(changed, draw, found) if by_key else of_schema(changed, draw)
            group = [*group[:at], changed, *group[at + 1 :]]
        yield "\n".join(line for entry in group for line in entry) + "\n" if group else "[]\n"
