// Operators that formulas and handwritten kernels call, over the stable interface.
#include <algorithm>

#include "codegen/emit/output/outputs.h"
#include "codegen/emit/stable/check_formula.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/text/cpp_functions.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

// As kernels call it: `opweave::contiguous(x)`.
void print_function(Printer& p, const CppFunction& function) {
  p.print({{"result", function.face.result},
           {"name", function.name},
           {"id", function.op->name.identifier},
           {"parameters", function.face.parameter_list_with_defaults()},
           {"arguments", signature_of(*function.op).argument_list()}},
          "inline $result$ $name$($parameters$) { return ops::$id$::call($arguments$); }");
}

}  // namespace

// The handle of one of the library's own is filled when it is defined, that of another when the
// library is loaded, which compares its schema.
void print_stable_called(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  const bool writes = returns_argument(op);
  const std::string result = writes ? "Tensor" : s.result;
  p.print({{"id", op.name.identifier},
           {"type", op.is_emitted() ? "Callable" : "Operator"},
           {"schema", op.is_emitted() ? "" : "{" + quoted(print(op.schema)) + "}"},
           {"result", s.result},
           {"called", result},
           {"parameters", s.parameter_list()},
           {"comma", s.parameters.empty() ? "" : s.argument_list()},
           {"return", writes || result == "void" ? "" : "return "},
           {"written", writes ? " return " + written_parameters(s, op).front()->name + ";" : ""}},
          "struct $id$ {\n"
          "  static inline stable::$type$ ow_target$schema$;\n"
          "  static $result$ call($parameters$) {\n"
          "    $return$ow_target.call<$called$>($comma$);$written$\n"
          "  }\n"
          "};");
}

std::string print_stable_operator_header(const std::vector<const Operator*>& ops) {
  Printer p;
  print_banner(p, "The operators of '" + home_name(*ops.front()) + "', for handwritten kernels.");
  p.print(
      "#pragma once\n"
      "\n"
      "#include \"opweave/stable/form/functions.h\"\n"
      "#include \"opweave/stable/operator.h\"\n"
      "\n"
      "namespace opweave {\n"
      "namespace ops {");
  for (const Operator* op : ops) print_stable_called(p, *op);
  p.print("}  // namespace ops");
  for (const CppFunction& function : cpp_functions(ops)) print_function(p, function);
  p.print("}  // namespace opweave");
  return p.take();
}

}  // namespace opweave::codegen
