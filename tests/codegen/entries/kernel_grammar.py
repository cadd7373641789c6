"""A grammar of entries with handwritten kernels, which nobody writes: what they take, give, and require."""

import random

# Arguments by type, with what a sample call gives.
ARGUMENTS = {
    "Tensor": "real(2x3)",
    "Tensor?": "none",
    "Tensor[]": "[real(2), real(3)]",
    "Tensor?[]": "[none, real(2)]",
    "Scalar": "2.5",
    "Scalar?": "none",
    "int": "1",
    "int?": "none",
    "int[]": "[1, 2]",
    "int[2]": "[1, 2]",
    "int[]?": "none",
    "float": "0.5",
    "float[]?": "[0.5, 2.5]",
    "bool": "true",
    "bool[3]": "[true, false, true]",
    "str": "'same'",
    "str?": "none",
    "ScalarType?": "float64",
}
RESULTS = ["Tensor", "Scalar", "int", "float", "bool", "ScalarType"]
SIZES = [
    "self.sizes()",
    "[rows, self.size(1)]",
    "replaced(self.sizes(), 0, rows + 1)",
    "concat(self.sizes(), [rows])",
    "reduced(self.sizes(), [0], true)",
    "broadcast(self.sizes(), [self.size(1)])",
    "[]",
]
LOCALS = ["self.size(0)", "floor_div(self.numel(), 2)", "max(self.size(0), 3)", "self.dim() * 2"]
CONDITIONS = [
    "self.dim() == 2",
    "rows > 0",
    "is_floating(self.scalar_type())",
    "self.numel() != rows + 7",
]


def kernel_entries(seed: int, count: int) -> list[str]:
    draw = random.Random(seed)
    return [entry(f"kernel_{i}", draw) for i in range(count)]


def entry(name: str, draw: random.Random) -> str:
    types = draw.choices(sorted(ARGUMENTS), k=draw.randint(0, 4))
    declared = "".join(f", {type_} x{i}" for i, type_ in enumerate(types))
    sample = "".join(f", x{i}: {ARGUMENTS[type_]}" for i, type_ in enumerate(types))
    roles = [f"x{i}: number" for i, type_ in enumerate(types) if type_.startswith("int")]
    how, results = draw.choice([ruled, ruled, ruled_by_name, checked, free])(draw)
    return (
        f"- func: {name}(Tensor self{declared}) -> {results}\n  kernels: [cpu]\n"
        + (f"  roles: {{{', '.join(roles)}}}\n" if roles else "")
        + how
        + f"  differentiable: false\n  samples:\n    - {{self: real(2x3){sample}}}\n"
    )


def locals_and_conditions(draw, read: str) -> str:
    text = ""
    conditions = draw.sample(CONDITIONS, draw.randint(0, 2))
    if "rows" in read + "".join(conditions):
        text += f'  let: {{rows: "{draw.choice(LOCALS)}"}}\n'
    if conditions:
        text += "  require:\n"
        text += "".join(f'    "{each}": "{{self.dim()}} is wrong"\n' for each in conditions)
    return text


def ruled(draw):
    sizes = draw.choice(SIZES)
    return locals_and_conditions(draw, sizes) + f'  result: "{sizes}"\n', "Tensor"


def ruled_by_name(draw):
    """Two results, one with a dtype."""
    first, second = draw.choice(SIZES), draw.choice(SIZES)
    dtype = draw.choice(["int64", "self.scalar_type()", "promoted(self.scalar_type(), float32)"])
    rule = f'  result:\n    first: "{first}"\n    second: {{sizes: "{second}", dtype: "{dtype}"}}\n'
    return locals_and_conditions(draw, first + second) + rule, "(Tensor first, Tensor second)"


def checked(draw):
    """What the kernel makes itself, behind conditions."""
    return locals_and_conditions(draw, ""), draw.choice([*RESULTS, "Tensor[]", "()"])


def free(draw):
    several = ", ".join(draw.choices(RESULTS, k=draw.randint(2, 4)))
    return "", f"({several})"
