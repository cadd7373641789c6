// One header per base name: the operators' structs and the functions by which C++ code calls them.
#include <map>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/cpp_functions.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

void print_function(Printer& p, const CppFunction& function) {
  p.print({{"result", function.face.result},
           {"name", function.name},
           {"params", function.face.parameter_list_with_defaults()},
           {"id", function.op->name.identifier},
           {"args", signature_of(*function.op).argument_list()}},
          "inline $result$ $name$($params$) {\n"
          "  return ops::$id$::call($args$);\n"
          "}");
}

std::string print_header(const std::string& base, const std::vector<const Operator*>& ops) {
  Printer p;
  print_banner(p, "The operators of '" + base + "'.");
  p.print("#pragma once\n");
  print_declaration_includes(p);
  print_object_types(p, ops);
  p.print(
      "\n"
      "namespace opweave {\n"
      "class OperatorEntry;\n"
      "\n"
      "namespace ops {\n");
  for (const Operator* op : ops) print_operator_struct(p, *op);
  p.print("}  // namespace ops\n");
  for (const CppFunction& function : cpp_functions(ops)) print_function(p, function);
  p.print("\n}  // namespace opweave");
  return p.take();
}

// Whether the operator has an entry of its own, as opposed to being derived from another's.
bool is_declared(const Operator& op) {
  return op.computation->implementation == Implementation::kernels ||
         op.computation->implementation == Implementation::composite;
}

// An in-place form with an entry of its own lives with its functional form.
std::string print_forward(const std::string& header) {
  Printer p;
  print_banner(p, "Declared with its functional form.");
  p.print({{"header", header}}, "#pragma once\n\n#include \"$header$\"");
  return p.take();
}

}  // namespace

void emit_operator_headers(Output& output) {
  std::map<std::string, std::vector<const Operator*>> by_home;
  std::map<std::string, std::string> forwards;
  for (const Operator* op : output.model.operators().all()) {
    if (op->origin.imported) continue;
    by_home[home_name(*op)].push_back(op);
    if (is_declared(*op) && op->name.base != home_name(*op))
      forwards[op->name.base] = operator_header(*op);
  }
  for (const auto& [base, header] : forwards) {
    if (!by_home.contains(base)) output.add("", base, print_forward(header));
  }
  for (const auto& [home, ops] : by_home) output.add("", home, print_header(home, ops));
}

}  // namespace opweave::codegen
