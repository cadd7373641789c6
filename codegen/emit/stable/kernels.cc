// Handwritten kernels of a library for every release: what they define, and what calls them, by the
// rule of the entry.
#include <algorithm>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/formulas/rule_printer.h"
#include "codegen/emit/formulas/rules.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

// "a, b" or "{a, b}" of what each result is called.
std::string all_results(const Operator& op, std::string_view before, std::string_view after) {
  CommaList names;
  for (size_t i = 0; i < op.schema.returns.size(); ++i)
    names.add(std::string(before) + std::to_string(i) + std::string(after));
  return op.schema.returns.size() == 1 ? names.text() : "{" + names.text() + "}";
}

void print_rule(Printer& p, const Operator& op) {
  p.print({{"id", op.name.identifier},
           {"parameters", rule_parameters(op)},
           {"body", [&] { print_rule_body(p, op); }}},
          "void $id$_rule($parameters$) {\n"
          "$body$\n"
          "}");
}

// What the rule makes of a call, which the kernel fills.
void print_filling(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  CommaList passed;
  for (const Parameter& parameter : s.parameters) passed.add(parameter.name);
  std::string makes, checks;
  for (size_t i = 0; i < op.schema.returns.size(); ++i) {
    const std::string at = std::to_string(i);
    passed.add("ow_out" + at);
    makes += (i == 0 ? "" : "\n") + ("Tensor ow_out" + at + " = ow_results[" + at + "].make();");
    makes += "\nconst OwTensor ow_made" + at + " = ow_out" + at + ".handle();";
    checks += (i == 0 ? "" : "\n") + ("check_filled(" + quoted(op.face->python_name) + ", ow_out" +
                                      at + ", ow_made" + at + ");");
  }
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"parameters", s.parameter_list()},
           {"arguments", s.argument_list()},
           {"count", std::to_string(op.schema.returns.size())},
           {"makes", makes},
           {"checks", checks},
           {"passed", passed.text()},
           {"made", all_results(op, "ow_out", "")},
           {"described", all_results(op, "ow_results[", "].make()")}},
          "$result$ $id$_kernel($parameters$) {\n"
          "  ResultSpec ow_results[$count$];\n"
          "  $id$_rule($arguments$, ow_results);\n"
          "  $makes$\n"
          "  cpu::$id$($passed$);\n"
          "  $checks$\n"
          "  return $made$;\n"
          "}\n"
          "$result$ $id$_meta($parameters$) {\n"
          "  ResultSpec ow_results[$count$];\n"
          "  $id$_rule($arguments$, ow_results);\n"
          "  return $described$;\n"
          "}");
}

// A function that checks its arguments, and calls another with them.
void print_checked(Printer& p, const Operator& op, std::string_view ending,
                   const std::string& called) {
  const Signature s = definition_of(op);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"parameters", s.parameter_list()},
           {"arguments", s.argument_list()},
           {"ending", ending},
           {"called", called},
           {"checks", [&] { print_call_checks(p, op); }}},
          "$result$ $id$$ending$($parameters$) {\n"
          "  $checks$\n"
          "  return $called$($arguments$);\n"
          "}");
}

// Of one example under vmap: what it requires, then the formula.
void print_example(Printer& p, const Operator& op) {
  print_formula_function(p, op, *op.formulas->batching, "_of_example");
  print_checked(p, op, "_example", op.name.identifier + "_of_example");
}

}  // namespace

bool has_stable_meta(const Operator& op) { return op.fills_results(); }

void print_stable_kernel(Printer& p, const Operator& op) {
  if (op.fills_results()) {
    print_rule(p, op);
    print_filling(p, op);
  } else {
    print_checked(p, op, "_kernel", "cpu::" + op.name.identifier);  // it makes its results itself
  }
  if (op.policies->batching == Batching::example) print_example(p, op);
}

std::string print_stable_kernel_header(const std::vector<const Operator*>& ops) {
  Printer p;
  print_banner(p, "Handwritten kernels of '" + ops.front()->name.base + "': what to define.");
  p.print("#pragma once\n\n#include \"opweave/stable/form/tensor.h\"\n\nnamespace opweave::cpu {");
  for (const Operator* op : ops) print_kernel_declaration(p, *op, "cpu");
  p.print("}  // namespace opweave::cpu");
  return p.take();
}

}  // namespace opweave::codegen
