"""What results look like before a kernel runs: rules of the document, over arrays of NumPy. Of arrays that no
call has made only sizes and dtype count."""

import numpy as np
from c_target import Formula, Promotion
from rule_functions import FUNCTIONS


class Rules:
    """Those of all operators of a document."""

    def __init__(self, model):
        self.operators = {operator["name"]: operator for operator in model["operators"]}
        self.dtypes = model["dtypes"]
        self._promotion = Promotion(model["dtypes"])

    def call(self, name, values):
        """What a call gives, without its elements."""
        operator = self.operators[name]
        if operator["computes"]["by"] == "expression":
            return self._elements(operator["computes"]["expression"], values)
        if "rule" in operator:
            found = Rule(self, operator, values).results()
        else:
            computes = operator["computes"]
            found = RuleFormula(
                self, None, computes["formula"], values, computes.get("parts")
            ).value()
        several = len(operator["schema"]["returns"]) > 1 or not isinstance(found, list)
        return (
            found if several or operator["schema"]["returns"][0]["type"].get("list") else found[0]
        )

    def _elements(self, expression, values):
        dtype = self._promotion.compute_dtype(expression, values)
        shape = np.broadcast_shapes(*(v.shape for v in values if isinstance(v, np.ndarray)))
        return np.zeros(shape, "bool" if expression["result"] == "boolean" else dtype)


class Rule:
    """The rule of an operator for one call, whose arguments are in the order of its schema."""

    def __init__(self, rules, operator, values):
        self._rules, self._rule, self._values = rules, operator["rule"], values
        self._locals = {}

    def value(self, formula):
        return RuleFormula(self._rules, self, formula, self._values).value()

    def local(self, index):
        if index not in self._locals:
            self._locals[index] = self.value(self._rule["locals"][index]["formula"])
        return self._locals[index]

    def broken(self):
        """The conditions that do not hold."""
        conditions = [r["condition"] for r in self._rule.get("requirements", [])]
        return [i for i, condition in enumerate(conditions) if not self.value(condition)]

    def results(self):
        """An array for each result, or None where there is none."""
        if "like" in self._rule:
            found = self.value(self._rule["like"])
            return found if isinstance(found, list) else [found]
        return [self._result(output) for output in self._rule["outputs"]]

    def _result(self, output):
        if "when" in output and not self.value(output["when"]):
            return None
        if "dtype" in output:
            dtype = self.value(output["dtype"])
        else:
            tensor = self._values[self._rule["reference"]]
            dtype = (tensor[0] if isinstance(tensor, list) else tensor).dtype
        return np.zeros(self.value(output["sizes"]), dtype)


class RuleFormula(Formula):
    def __init__(self, rules, rule, formula, arguments, parts=None):
        super().__init__(rules, formula, arguments, parts=parts)
        self._rules, self._rule = rules, rule

    def _local(self, node):
        return self._rule.local(node["index"])

    def _part(self, node):
        formula = self._parts[node["index"]]["formula"]
        arguments, parts = self._given["argument"], self._parts
        return RuleFormula(self._rules, self._rule, formula, arguments, parts).value()

    def _function(self, node):
        return FUNCTIONS[node["function"]](self._rules.dtypes, *self._operands(node))

    def _index(self, node):
        value, index = self._operands(node)
        return value[index]

    def _convert(self, node):
        value = super()._convert(node)
        if node["conversion"] == "int_to_list":
            return [value] * int(node["type"].partition("[")[2].rstrip("]?") or 1)
        return value

    def _property(self, node):
        value, *more = self._operands(node)
        known = {
            "size": lambda dim: value.shape[dim],
            "stride": lambda dim: value.strides[dim] // value.itemsize,
            "strides": lambda: [stride // value.itemsize for stride in value.strides],
            "storage_offset": lambda: 0,
            "length": lambda: len(value),
            "is_floating_point": lambda: value.dtype.kind == "f",
            "device": lambda: "cpu",
        }
        asked = known.get(node["property"])
        return asked(*more) if asked else super()._property(node)
