// Operators with handwritten kernels: what calls them, and what they give without data, both by the
// rule of the entry.
#include "codegen/emit/comma_list.h"
#include "codegen/emit/declarations.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rule_printer.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

// Sizes are numbers of the kind that the function is printed for.
std::string rule_property(const FormulaNode& node, const FormulaNames& names) {
  const std::string tensor = formula_expression(node.operand(0), names);
  switch (node.property) {
    case Property::sizes:
      return "sizes_of<Int>(" + tensor + ")";
    case Property::strides:
      return "strides_of<Int>(" + tensor + ")";
    case Property::numel:
      return "numel_of<Int>(" + tensor + ")";
    case Property::size:
      return "size_of<Int>(" + tensor + ", " + formula_expression(node.operand(1), names) + ")";
    case Property::scalar_type:
      return tensor + ".scalar_type()";
    default:
      return {};
  }
}

std::string results_of(const Operator& op, std::string_view before, std::string_view after) {
  const size_t count = op.schema.returns.size();
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(before) + std::to_string(i) + std::string(after);
  return count == 1 ? text : "{" + text + "}";
}

std::string passed(const Signature& s) {
  return comma_list(s.parameters, [](const Parameter& p) {
    return p.argument->type.is_tensor() ? "opweave::Tensor(" + p.name + ")" : p.name;
  });
}

void print_kernel(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  const size_t count = op.schema.returns.size();
  CommaList outs;
  for (size_t i = 0; i < count; ++i) outs.add("ow_out" + std::to_string(i));
  p.print({{"id", op.identifier},
           {"base", op.base_name},
           {"parameters", s.optional_parameter_list()},
           {"list", s.parameter_list()},
           {"names", s.argument_list()},
           {"result", s.result},
           {"count", std::to_string(count)},
           {"body", [&] { print_rule_body(p, op, rule_property); }},
           {"makes",
            [&] {
              for (size_t i = 0; i < count; ++i)
                p.print({{"i", std::to_string(i)}},
                        "opweave::Tensor ow_out$i$ = ow_results[$i$].make();");
            }},
           {"passed", passed(s)},
           {"outs", outs.text()},
           {"made", results_of(op, "ow_out", "")},
           {"fakes", results_of(op, "ow_results[", "].make()")}},
          "template <class Int>\n"
          "void $id$_rule($parameters$, [[maybe_unused]] ResultSpec<Int>* ow_results) {\n"
          "  using rule = Rules<Int>;\n"
          "  using DimVector [[maybe_unused]] = typename rule::Vector;\n"
          "$body$\n"
          "}\n"
          "$result$ $id$_kernel($list$) {\n"
          "  std::array<ResultSpec<int64_t>, $count$> ow_results;\n"
          "  $id$_rule<int64_t>($names$, ow_results.data());\n"
          "  $makes$\n"
          "  cpu::$base$($passed$, $outs$);\n"
          "  return $made$;\n"
          "}\n"
          "$result$ $id$_meta($list$) {\n"
          "  std::array<ResultSpec<c10::SymInt>, $count$> ow_results;\n"
          "  $id$_rule<c10::SymInt>($names$, ow_results.data());\n"
          "  return $fakes$;\n"
          "}\n");
}

void print_registration(Printer& p, const TorchLibrary& library, std::string_view key,
                        std::string_view suffix) {
  p.print({{"library", library.options.library}, {"key", key}},
          "TORCH_LIBRARY_IMPL($library$, $key$, library) {");
  for (const Operator* op : library.operators) {
    if (op->has_hardware_kernel() && !op->is_expr())
      p.print({{"name", quoted(op->full_name)}, {"id", op->identifier}, {"suffix", suffix}},
              "  library.impl($name$, TORCH_FN($id$_$suffix$));");
  }
  p.print("}");
}

}  // namespace

std::string print_torch_kernels(const TorchLibrary& library) {
  Printer p;
  print_banner(p, "Handwritten kernels, and results without data.");
  p.print("#include <torch/library.h>\n");
  std::vector<const Operator*> ops = library.operators;
  std::erase_if(ops,
                [](const Operator* op) { return !op->has_hardware_kernel() || op->is_expr(); });
  std::vector<std::string> headers;
  for (const Operator* op : ops) headers.push_back("opweave/kernels/cpu/" + op->base_name + ".h");
  p.raw(include_lines(headers));
  p.print(
      "\n"
      "namespace opweave {\n"
      "// Of PyTorch, not the one that kernels know.\n"
      "namespace calls {\n"
      "using at::Tensor;\n");
  for (const Operator* op : ops) print_kernel(p, *op);
  print_registration(p, library, "CPU", "kernel");
  print_registration(p, library, "Meta", "meta");
  p.print("}  // namespace calls\n}  // namespace opweave");
  return p.take();
}

std::string print_torch_kernel_header(const Operator& op) {
  Printer p;
  print_banner(p, "The kernel of " + op.base_name + ", which a handwritten file defines.");
  p.print("#pragma once\n\n#include \"opweave/kernel.h\"\n\nnamespace opweave::cpu {");
  print_kernel_declaration(p, op, "cpu");
  p.print("}  // namespace opweave::cpu");
  return p.take();
}

}  // namespace opweave::codegen
