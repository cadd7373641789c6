"""Kernels in C99 of every expression of a model: a target outside of Opweave, in one file.

    opweave model --out model.json --ops ops.yaml
    python printer.py model.json > kernels.c
    gcc -std=c99 -O2 -ffp-contract=off -shared -fPIC -I. -o kernels.so kernels.c -lm

What is read is the document alone (docs/model.md). A printer spells: what C calls each function of the
vocabulary stands in c_functions.py, and everything else follows from the document. Functions that are not
there are printed from their definitions in it.

A kernel is `int kernel_NAME_DTYPE(in, numbers, given, texts, out, n)`: `in` are its tensors, contiguous and
of one size (bool where their truth is read alone), `numbers` its numbers in the dtype of the computation;
`given` and `texts` say of every argument whether there is one, and which string it is. It returns whether it
has divided by 0.
"""

import json
import re
import sys
from pathlib import Path

from c_functions import OF_FLOATS, OF_LOGIC, OF_TRUTH, OF_WHOLE

C_TYPES = {"float32": "float", "float64": "double", "int64": "int64_t", "bool": "_Bool"}
FLOATS = ("float32", "float64")


def c_name(operator):
    """`add_Tensor` of `add.Tensor`."""
    return re.sub(r"\W", "_", operator)


def literal(value, dtype):
    """A number of an expression in the dtype of the computation; whole numbers wrap."""
    number = float(value)
    if dtype in FLOATS:
        special = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(value)
        return f"({C_TYPES[dtype]}){special or number.hex()}"
    if dtype == "bool":
        return "1" if number else "0"
    return f"(int64_t)UINT64_C({int(number) % 2**64})"


class Printer:
    """The C of one document."""

    def __init__(self, model):
        if model.get("opweave_model") != 1:
            raise SystemExit(f"this printer reads version 1, not {model.get('opweave_model')}")
        self.vocabulary = {function["op"]: function for function in model["intrinsics"]}
        self.operators = model["operators"]
        self.text, self.functions = [], set()

    # --- functions of the vocabulary

    def function(self, op, dtype):
        """The name of a function in a dtype, which is printed before it is first called."""
        name = f"{op}_{dtype}"
        if name not in self.functions:
            self.functions.add(name)
            self.text.append(self._function(self.vocabulary[op], dtype, name))
        return name

    def _function(self, function, dtype, name):
        own = C_TYPES[dtype]
        result = "_Bool" if function["result"] == "boolean" else own
        names = ("x", "y")[: function["arity"]]
        if function["kind"] == "logic":
            parameters = ", ".join(f"_Bool {n}" for n in names)
            return f"static {result} {name}({parameters}) {{ return {OF_LOGIC[function['op']]}; }}"
        spelled = self._spelled(function["op"], dtype)
        if spelled is None:
            return self._defined(function, dtype, name, result)
        wide = "double" if dtype in FLOATS else "int64_t"
        parameters = ", ".join(f"{wide} {n}" for n in names)
        return f"static {result} {name}({parameters}) {{ return ({result})({spelled}); }}"

    @staticmethod
    def _spelled(op, dtype):
        if dtype in FLOATS:
            return OF_FLOATS.get(op)
        return (OF_TRUTH if dtype == "bool" else {}).get(op) or OF_WHOLE.get(op)

    def _defined(self, function, dtype, name, result):
        """From what the document says that it means, over x and y."""
        if dtype not in FLOATS or "definition" not in function:
            what = f"{function['op']!r} of {dtype}"
            raise SystemExit(f"C has no {what}, and the document no definition")
        read = {i: "xy"[i] for i in range(function["arity"])}
        lines = self._nodes(function["definition"], dtype, lambda node: read[node["argument"]])
        parameters = ", ".join(f"{C_TYPES[dtype]} {n}" for n in read.values())
        body = "\n".join(f"  {line}" for line in lines)
        return f"static {result} {name}({parameters}) {{\n{body}\n  return v{len(lines) - 1};\n}}"

    # --- expressions

    def _nodes(self, nodes, dtype, read):
        """A statement for each node; `read` spells leaves that are arguments, or ask about one."""
        lines = []
        for place, node in enumerate(nodes):
            own = "_Bool" if node["type"] == "boolean" else C_TYPES[dtype]
            lines.append(f"const {own} v{place} = {self._node(node, dtype, read)};")
        return lines

    def _node(self, node, dtype, read):
        op, operands = node["op"], [f"v{place}" for place in node.get("operands", [])]
        if op in ("argument", "has_value", "string_equals"):
            return read(node)
        if op == "literal":
            truth = node["type"] == "boolean"
            return str(int(node["value"])) if truth else literal(node["value"], dtype)
        if op == "to_value":
            return operands[0]
        if op == "to_boolean":
            return f"{operands[0]} != 0"
        if op == "select":
            return "{} ? {} : {}".format(*operands)
        return f"{self.function(op, dtype)}({', '.join(operands)})"

    def kernel(self, name, expression, dtype):
        """A loop over elements."""
        arguments = expression["arguments"]
        tensors = [i for i, a in enumerate(arguments) if a["read"] in ("elements", "mask")]
        numbers = [i for i, a in enumerate(arguments) if a["read"] == "number"]
        own = C_TYPES[dtype]

        def read(node):
            argument = node["argument"]
            if node["op"] == "has_value":
                return f"given[{argument}]"
            if node["op"] == "string_equals":
                return f"strcmp(texts[{argument}], {json.dumps(node['text'])}) == 0"
            if argument in tensors:
                of = "_Bool" if arguments[argument]["read"] == "mask" else own
                value = f"((const {of} *)in[{tensors.index(argument)}])[i]"
            else:
                value = f"((const {own} *)numbers)[{numbers.index(argument)}]"
            return f"{value} != 0" if node["type"] == "boolean" else value

        lines = self._nodes(expression["nodes"], dtype, read)
        result = "_Bool" if expression["result"] == "boolean" else own
        body = "\n".join(f"    {line}" for line in lines)
        self.text.append(
            f"int kernel_{name}_{dtype}(const void *const *in, const void *numbers, const _Bool *given,\n"
            f"    const char *const *texts, void *out, int64_t n) {{\n"
            f"  (void)in, (void)numbers, (void)given, (void)texts, divided_by_zero = 0;\n"
            f"  for (int64_t i = 0; i < n; ++i) {{\n{body}\n"
            f"    (({result} *)out)[i] = v{len(lines) - 1};\n  }}\n  return divided_by_zero;\n}}"
        )

    def operator(self, operator):
        """A kernel for each dtype in which it computes that C_TYPES has; their names."""
        expression = operator["computes"]["expression"]
        chosen = [dtype for dtype in C_TYPES if dtype in expression["dtypes"]]
        for dtype in chosen:
            self.kernel(c_name(operator["name"]), expression, dtype)
        return chosen

    def table(self, function):
        """The derivatives and the definition of a function as kernels over x, y and the result."""
        if function["kind"] in ("bits", "logic"):
            return
        trees = {f"by_{'xy'[i]}": tree for i, tree in enumerate(function["derivatives"]) if tree}
        if "definition" in function:
            trees["definition"] = function["definition"]
        leaves = [
            {"op": "argument", "argument": i, "type": "value"} for i in range(function["arity"])
        ]
        call = {"op": function["op"], "operands": [*range(len(leaves))], "type": function["result"]}
        trees["itself"] = [*leaves, call]
        for name, nodes in trees.items():
            result = "boolean" if nodes[-1]["type"] == "boolean" else "compute"
            arguments = [{"read": "elements"}] * 3
            expression = {"arguments": arguments, "nodes": nodes, "result": result}
            self.kernel(f"{function['op']}_{name}", expression, "float64")


def print_kernels(model):
    """(the C of all operators that have an expression, the dtypes of each by its name)."""
    printer, printed = Printer(model), {}
    for operator in printer.operators:
        if operator["computes"]["by"] == "expression":
            printed[operator["name"]] = printer.operator(operator)
    for function in model["intrinsics"]:
        printer.table(function)
    return '#include "functions.h"\n\n' + "\n\n".join(printer.text) + "\n", printed


if __name__ == "__main__":
    text, names = print_kernels(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(text, end="")
    none = [name for name, dtypes in names.items() if not dtypes]
    print(
        f"{len(names) - len(none)} operators printed, {len(none)} left out", *none, file=sys.stderr
    )
