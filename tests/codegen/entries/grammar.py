"""A grammar of entries: random operators that are right, each with what it means in NumPy."""

import random
from dataclasses import dataclass, field

# Functions by what they take: in the language of entries, and in NumPy.
SMOOTH = {
    "sin({})": "np.sin({})",
    "cos({})": "np.cos({})",
    "tanh({})": "np.tanh({})",
    "sigmoid({})": "1 / (1 + np.exp(-({})))",
    "atan({})": "np.arctan({})",
    "exp(-square({}))": "np.exp(-np.square({}))",
    "log1p(square({}))": "np.log1p(np.square({}))",
    "sqrt(square({}) + 1)": "np.sqrt(np.square({}) + 1)",
    "erf({})": "ERF({})",
    "expm1(tanh({}))": "np.expm1(np.tanh({}))",
    "rsqrt(square({}) + 0.5)": "1 / np.sqrt(np.square({}) + 0.5)",
    "reciprocal(exp(sin({})))": "1 / np.exp(np.sin({}))",
}
EXACT = {
    "abs({})": "np.abs({})",
    "square({})": "np.square({})",
    "-({})": "-({})",
    "conj({})": "np.conj({})",
    "relu({})": "np.maximum({}, 0)",
    "sign({})": "np.sign({})",
}
PAIRS = {
    "({} + {})": "({} + {})",
    "({} - {})": "({} - {})",
    "{} * {}": "{} * {}",
    "max({}, {})": "np.maximum({}, {})",
    "min({}, {})": "np.minimum({}, {})",
}
FLOAT_PAIRS = {
    "({}) / (square({}) + 1)": "({}) / (np.square({}) + 1)",
    "atan2({}, square({}) + 1)": "np.arctan2({}, np.square({}) + 1)",
    "hypot({}, abs({}) + 1)": "np.hypot({}, np.abs({}) + 1)",
    "pow(square({}) + 1, sin({}))": "np.power(np.square({}) + 1, np.sin({}))",
}
BITS = {
    "({} & {})": "({} & {})",
    "({} | {})": "({} | {})",
    "({} ^ {})": "({} ^ {})",
}
TESTS = ["<", "<=", ">", ">=", "==", "!="]
# A condition, alone and beside constants.
CONDITIONS_OF = {
    "{}": "{}",
    "{} && true": "{}",
    "({} || 0)": "{}",
    "!({} || 1)": "False & ({})",
    "true": "True",
    "2": "True",
}
CONDITIONS = ["{}", "{}", *CONDITIONS_OF]
WORDS = ["same", "wide"]


@dataclass
class Entry:
    """One operator: its text, and a function of NumPy with the same arguments."""

    name: str
    kind: str  # of elements: float, whole, bits; or formula
    tensors: list = field(default_factory=list)
    parameters: dict = field(default_factory=dict)  # name: values that calls give
    schema: str = ""
    how: str = ""
    numpy: str = ""
    more: str = ""

    def text(self) -> str:
        samples = [f"{name}: real" for name in self.tensors]
        samples += [f"{name}: [{', '.join(values)}]" for name, values in self.parameters.items()]
        return (
            f"- func: {self.schema}\n  {self.how}\n{self.more}  samples: {{{', '.join(samples)}}}\n"
        )

    def reference(self) -> str:
        arguments = ", ".join([*self.tensors, *self.parameters])
        return f"def {self.name}({arguments}):\n    return {self.numpy}\n"


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.constants = random.Random(seed)  # of its own: entries are as large with them

    def entry(self, name: str) -> Entry:
        kind = self.random.choices(["float", "whole", "bits", "formula"], [6, 2, 1, 3])[0]
        made = Entry(name, kind, tensors=["self", "other", "third"][: self.random.randint(1, 3)])
        return self.formula(made) if kind == "formula" else self.expression(made)

    # --- expressions ---

    def expression(self, made: Entry) -> Entry:
        self.kind, self.given = made.kind, set()
        self.leaves = list(made.tensors)
        declared = [f"Tensor {name}" for name in made.tensors]
        keyword = self.keyword_arguments(made)
        text, numpy = self.value(self.random.randint(1, 4))
        # Whatever is drawn, each tensor is read.
        for name in made.tensors:
            if name not in text:
                text, numpy = f"({text}) + {name}", f"({numpy}) + {name}"
        text, numpy = self.chosen(made, text, numpy)
        made.schema = f"{made.name}({', '.join(declared)}{keyword}) -> Tensor"
        made.how, made.numpy = f'expr: "{text}"', numpy
        if made.kind == "float":
            made.more = "  dtypes: floating\n" if self.random.random() < 0.5 else ""
        elif self.random.random() < 0.3 or made.kind == "bits":
            made.more = "  dtypes: integral\n"
            made.kind = "bits"
        return made

    def keyword_arguments(self, made: Entry) -> str:
        declared = ""
        if self.random.random() < 0.4 and made.kind != "bits":
            made.parameters["scale"] = ["1.5", "-0.75"] if made.kind == "float" else ["2", "-3"]
            declared += ", *, " + ("float scale=2.5" if made.kind == "float" else "int scale=2")
            self.leaves.append("scale")
        if self.random.random() < 0.3 and made.kind == "float":
            made.parameters["edge"] = ["none", "0.25"]
            declared += (", " if declared else ", *, ") + "Scalar? edge=None"
        if self.random.random() < 0.3:
            made.parameters["mode"] = WORDS
            declared += (", " if declared else ", *, ") + "str mode='same'"
        if self.random.random() < 0.2:
            made.parameters["flag"] = ["true", "false"]
            declared += (", " if declared else ", *, ") + "bool flag=False"
        return declared

    def chosen(self, made: Entry, text: str, numpy: str) -> tuple[str, str]:
        """Parameters that are no numbers choose between two values."""
        other, other_numpy = self.value(1)
        if "edge" in made.parameters:
            text = f"edge != none && self > edge ? edge * {other} : {text}"
            numpy = f"({numpy}) if edge is None else np.where(self > edge, edge * ({other_numpy}), {numpy})"
        if "mode" in made.parameters:
            text, numpy = (
                f"mode == 'wide' ? {other} : ({text})",
                (f"(({other_numpy}) + 0 * self) if mode == 'wide' else ({numpy})"),
            )
        if "flag" in made.parameters:
            text, numpy = (
                f"flag ? {other} : ({text})",
                f"(({other_numpy}) + 0 * self) if flag else ({numpy})",
            )
        return text, numpy

    def value(self, depth: int) -> tuple[str, str]:
        if depth == 0:
            return self.leaf()
        draw = self.random.random()
        if draw < 0.35:
            functions = SMOOTH if self.kind == "float" and self.random.random() < 0.8 else EXACT
            return self.applied(functions, depth)
        if draw < 0.5 and self.kind != "bits":
            return self.choice(depth)
        pairs = {"float": {**PAIRS, **FLOAT_PAIRS}, "whole": PAIRS, "bits": {**BITS, **PAIRS}}
        return self.applied(pairs[self.kind], depth)

    def applied(self, functions: dict, depth: int) -> tuple[str, str]:
        text = self.random.choice(sorted(functions))
        operands = [self.value(depth - 1) for _ in range(text.count("{}"))]
        return (
            text.format(*[f"({a})" for a, _ in operands]),
            "(" + functions[text].format(*[f"({b})" for _, b in operands]) + ")",
        )

    def choice(self, depth: int) -> tuple[str, str]:
        test = self.random.choice(TESTS)
        (a, na), (b, nb), (c, nc), (d, nd) = (self.value(depth - 1) for _ in range(4))
        with_constant = self.constants.choice(CONDITIONS)
        return (
            f"({with_constant.format(f'{a} {test} {b}')} ? {c} : {d})",
            f"np.where({CONDITIONS_OF[with_constant].format(f'({na}) {test} ({nb})')}, {nc}, {nd})",
        )

    def leaf(self) -> tuple[str, str]:
        if self.random.random() < 0.25:
            whole = self.random.choice(["1", "2", "3"])
            number = self.random.choice(["0.5", "1.25", "pi"]) if self.kind == "float" else whole
            return number, "np.pi" if number == "pi" else number
        name = self.random.choice(self.leaves)
        return name, name

    # --- formulas over operators ---

    def formula(self, made: Entry) -> Entry:
        self.leaves = list(made.tensors)
        text, numpy = self.tensor(self.random.randint(1, 3))
        for name in made.tensors:
            if name not in text:
                text, numpy = f"mul({text}, {name})", f"({numpy}) * {name}"
        if text in made.tensors:
            text, numpy = f"({text} + {text})", f"({numpy} + {numpy})"
        made.schema = f"{made.name}({', '.join(f'Tensor {n}' for n in made.tensors)}) -> Tensor"
        made.how, made.numpy = f'composite: "{text}"', numpy
        return made

    def tensor(self, depth: int) -> tuple[str, str]:
        if depth == 0:
            name = self.random.choice(self.leaves)
            return name, name
        a, na = self.tensor(depth - 1)
        draw = self.random.randrange(8)
        if draw < 3:
            b, nb = self.tensor(depth - 1)
            symbol = self.random.choice("+-*")
            return f"({a} {symbol} {b})", f"({na} {symbol} {nb})"
        dim = self.random.choice([0, 1, -1])
        return [
            (f"sum({a}, [{dim}], true)", f"np.sum({na}, {dim}, keepdims=True)"),
            (f"mean({a}, [{dim}], true)", f"np.mean({na}, {dim}, keepdims=True)"),
            (f"tanh({a})", f"np.tanh({na})"),
            (f"softmax({a}, {dim})", f"SOFTMAX({na}, {dim})"),
            (f"({a}).flatten().reshape(({a}).sizes())", f"({na})"),
        ][draw - 3]


def entries(seed: int, count: int, prefix: str = "random") -> list[Entry]:
    writer = Writer(seed)
    return [writer.entry(f"{prefix}_{i}") for i in range(count)]
