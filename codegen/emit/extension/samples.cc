// Sample calls of the operators of a package.
#include "codegen/emit/extension/samples.h"

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/functionalities/refused_inputs.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

void print_head(Printer& p, const std::string& imports) {
  p.print({{"banner", kPythonBanner}, {"imports", imports}},
          "\"\"\"The calls that test_operators.py makes.\"\"\"\n"
          "$banner$\n"
          "from typing import NamedTuple\n"
          "\n"
          "$imports$\n"
          "\n"
          "\n"
          "class Drawn(NamedTuple):\n"
          "    domain: str\n"
          "    shape: tuple | None\n"
          "    limit: int = 0\n"
          "    dtype: str = \"\"\n"
          "\n"
          "\n"
          "class Elements(NamedTuple):\n"
          "    values: list\n"
          "\n"
          "\n"
          "class Symbol(NamedTuple):\n"
          "    name: str\n"
          "\n"
          "\n"
          "class Call(NamedTuple):\n"
          "    name: str\n"
          "    operator: object\n"
          "    differentiable: bool\n"
          "    arguments: dict\n"
          "    defaults: dict\n"
          "    reference: object = None\n"
          "    refused: tuple = ()\n"
          "\n"
          "\n"
          "CALLS = [");
}

}  // namespace

std::string print_samples(const std::vector<const Operator*>& operators, const std::string& imports,
                          const std::function<std::string(const Operator&)>& callee) {
  Printer p;
  print_head(p, imports);
  for (const Operator* op : operators) {
    if (op->face->internal) continue;
    for (const std::string& call : sample_calls(*op))
      p.print({{"name", quoted(op->name.full)},
               {"callee", callee(*op)},
               {"differentiable", python_bool(is_differentiable(*op))},
               {"call", call},
               {"defaults", python_defaults(*op)},
               {"refused",
                op->lowered->recording.refused.empty() ? "" : ", refused=" + refused_names(*op)},
               {"reference", op->is_expr() ? ",\n         lambda r, a: " +
                                                 reference_expression(*op->elements->expr, *op)
                                           : ""}},
              "    Call($name$, $callee$, $differentiable$,\n"
              "         $call$, {$defaults$}$reference$$refused$),");
  }
  p.print("]");
  return p.take();
}

}  // namespace opweave::codegen
