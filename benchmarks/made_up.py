"""Made-up operator files of any size: python3 benchmarks/made_up.py COUNT FOLDER.

The mix is that of ops.yaml: of ten entries three are pointwise expressions, whose gradients are derived,
one is a formula that calls other operators, and six are kernels, half of them with a backward operator and
an entry in derivatives.yaml. They stand beside those of ops.yaml, which the formulas call.
"""

import sys
from pathlib import Path

EXPRESSIONS = (
    ("Tensor self", "self * sigmoid({a} * self)"),
    ("Tensor self, Tensor other, *, Scalar alpha=1", "self + {a} * alpha * other"),
    ("Tensor self, Scalar beta=1.0", "self * beta > {a} ? self : log1p(exp(self * beta)) / beta"),
    ("Tensor self, Tensor other", "max(self, other) - {a} * log1p(exp(-abs(self - other)))"),
    ("Tensor self", "tanh({a} * self) / (1 + abs(self))"),
)
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "juniper")


def name_of(index: int) -> str:
    return f"{WORDS[index % 10]}_{WORDS[index // 10 % 10]}_{index}"


def pointwise(index: int) -> str:
    arguments, expression = EXPRESSIONS[index // 10 % len(EXPRESSIONS)]
    expression = expression.format(a=f"{1 + index % 89 / 100:.2f}")
    return f"""- func: {name_of(index)}({arguments}) -> Tensor
  variants: function, method
  expr: "{expression}"
  dtypes: floating
  doc: A made-up pointwise operator, number {index}.
  samples: {{self: real}}
"""


def kernel(index: int) -> tuple[str, str]:
    """A reduction with a gradient, or something without one."""
    name = name_of(index)
    if index % 2 == 0:
        operator = f"""- func: {name}(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor
  variants: function, method
  kernels: [cpu]
  roles: {{dim: dims_or_all}}
  result: reduced(self.sizes(), dim, keepdim)
  differentiable: false
  doc: A made-up reduction, number {index}.
  samples:
    - {{self: real(2x3)}}
    - {{self: real(2x3x2), dim: [0, -1], keepdim: true}}
"""
        return operator, ""
    operators = f"""- func: {name}(Tensor self, Tensor weight, int dim=0) -> (Tensor values, Tensor counts)
  kernels: [cpu]
  roles: {{dim: dim}}
  result: {{values: self.sizes(), counts: {{sizes: self.sizes(), dtype: int64}}}}
  doc: A made-up operator with a backward operator, number {index}.
  samples:
    - {{self: real(2x3), weight: real(3)}}
- func: {name}_backward(Tensor grad, Tensor self, Tensor weight, int dim, bool[2] mask) -> (Tensor, Tensor)
  kernels: [composite]
  roles: {{dim: dim}}
  internal: true
"""
    derivative = f"""- name: {name}
  self, weight: {name}_backward(grad, self, weight, dim, grad_input_mask)
  output_differentiability: [true, false]
"""
    return operators, derivative


def composite(index: int) -> str:
    """A formula over two of the pointwise operators before it."""
    nearest = index - index % 10
    first, second = name_of(nearest), name_of(nearest - 50 if nearest >= 50 else nearest)
    return f"""- func: {name_of(index)}(Tensor self, Tensor weight) -> Tensor
  variants: function, method
  composite: "({first}(self{other(index)}) * weight - {second}(weight{other(index)})) / 2.0"
  doc: A made-up formula, number {index}.
"""


def other(index: int) -> str:
    takes_two = EXPRESSIONS[index // 10 % len(EXPRESSIONS)][0].count("Tensor") == 2
    return ", weight" if takes_two else ""


def made_up(count: int) -> tuple[str, str]:
    """The texts of ops.yaml and derivatives.yaml with that many operators."""
    operators, derivatives = [], []
    written = index = 0
    while written < count:
        kind = index % 10
        if kind < 3:
            operators.append(pointwise(index))
        elif kind == 3:
            operators.append(composite(index))
        else:
            entries, derivative = kernel(index)
            operators.append(entries)
            derivatives.append(derivative)
        written += operators[-1].count("- func:")
        index += 1
    return "".join(operators), "".join(derivatives)


def write(count: int, folder: Path) -> list[str]:
    """Writes the two files; returns the options that name them and those of this repository."""
    paths = [folder / "ops.yaml", folder / "derivatives.yaml"]
    for path, text in zip(paths, made_up(count), strict=True):
        path.write_text(text, encoding="utf-8")
    own = ["--ops", "ops.yaml", "--derivatives", "derivatives.yaml"]
    return [*own, "--ops", str(paths[0]), "--derivatives", str(paths[1])]


if __name__ == "__main__":
    target = Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    print(*write(int(sys.argv[1]), target))
