// The file that tells PyTorch of the operators: schemas, and how they are differentiated.
#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/functionalities/autograd_node.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

void print_definitions(Printer& p, const TorchLibrary& library) {
  p.print({{"library", library.options.library},
           {"module", quoted(library.options.library + "._rules")}},
          "TORCH_LIBRARY($library$, library) {\n"
          "  library.set_python_module($module$);");
  for (const Operator* op : library.operators) {
    const std::string tags = op->is_expr() ? "at::Tag::pt2_compliant_tag, at::Tag::pointwise"
                                           : "at::Tag::pt2_compliant_tag";
    p.print({{"schema", quoted(torch_schema(*op))}, {"tags", tags}},
            "  library.def($schema$, {$tags$});");
  }
  p.print("}\n");
}

FormulaNames names_of(const Operator& op, const Signature& s) {
  FormulaNames names;
  names.op = &op;
  names.argument = [&s](uint16_t i) { return s.parameters[i].name; };
  names.property = symbolic_property;
  names.symbolic = true;
  return names;
}

void print_composite(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"parameters", given_parameters(s)},
           {"values", [&] { print_values(p, s); }},
           {"body", [&] { print_formula_body(p, op, *op.formulas->composite, names_of(op, s)); }}},
          "$result$ $id$_composite($parameters$) {\n"
          "  $values$\n"
          "  $body$\n"
          "}\n");
}

// A batch that runs by a formula, whose operators know of the examples.
void print_batched(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"parameters", given_parameters(s)},
           {"values", [&] { print_values(p, s); }},
           {"check",
            [&] {
              if (batches_are_checked(op))
                p.print({{"id", op.name.identifier}, {"names", s.argument_list()}},
                        "calls::$id$_check($names$);");
            }},
           {"formula", formula_expression(*op.formulas->batching, names_of(op, s))}},
          "$result$ $id$_batched($parameters$) {\n"
          "  $values$\n"
          "  $check$\n"
          "  return $formula$;\n"
          "}\n");
}

void print_checks(Printer& p, const TorchLibrary& library) {
  for (const Operator* op : library.operators) {
    if (batches_are_checked(*op))
      p.print({{"id", op->name.identifier}, {"list", value_signature(*op).parameter_list()}},
              "namespace calls {\nvoid $id$_check($list$);\n}  // namespace calls");
  }
}

// A call that writes says so to autograd: versions of what it wrote grow, and nothing that requires
// gradients is written, as there are none.
void print_written(Printer& p, const Operator& op) {
  const Signature s = torch_signature(op);
  const auto checks = [&] {
    for (const uint16_t i : op.effects.mutated)
      p.print({{"op", quoted(op.name.base)},
               {"argument", quoted(s.parameters[i].argument->name)},
               {"name", s.parameters[i].name}},
              "check_written($op$, $argument$, $name$);");
  };
  const auto versions = [&] {
    for (const uint16_t i : op.effects.mutated)
      p.print({{"name", s.parameters[i].name}}, "count_write($name$);");
  };
  p.print({{"id", op.name.identifier},
           {"parameters", given_parameters(s)},
           {"arguments", given_arguments(s)},
           {"checks", checks},
           {"versions", versions}},
          "void $id$_written(c10::DispatchKeySet ow_keys, $parameters$) {\n"
          "  {\n"
          "    at::AutoDispatchBelowADInplaceOrView ow_below;\n"
          "    ops::$id$::redispatch(ow_keys & c10::after_ADInplaceOrView_keyset, $arguments$);\n"
          "  }\n"
          "  $versions$\n"
          "}\n"
          "void $id$_autograd(c10::DispatchKeySet ow_keys, $parameters$) {\n"
          "  $checks$\n"
          "  at::AutoDispatchBelowAutograd ow_below;\n"
          "  ops::$id$::redispatch(ow_keys & c10::after_autograd_keyset, $arguments$);\n"
          "}\n");
}

template <class Wanted>
void print_registration(Printer& p, const TorchLibrary& library, std::string_view key,
                        std::string_view function, Wanted wanted) {
  std::vector<const Operator*> ops = library.operators;
  std::erase_if(ops, [&](const Operator* op) { return !wanted(*op); });
  if (ops.empty()) return;
  p.print({{"library", library.options.library}, {"key", key}},
          "TORCH_LIBRARY_IMPL($library$, $key$, library) {");
  for (const Operator* op : ops) {
    const std::string text = function.empty()
                                 ? "torch::CppFunction::makeFallthrough()"
                                 : "TORCH_FN(" + op->name.identifier + std::string(function) + ")";
    p.print({{"name", quoted(op->name.full)}, {"function", text}},
            "  library.impl($name$, $function$);");
  }
  p.print("}");
}

}  // namespace

std::string print_torch_library(const TorchLibrary& library) {
  const NodeNames names(library.model);
  Printer p;
  print_banner(p, "The operators, their backward nodes and forward rules.");
  p.print("#include \"opweave/autograd.h\"\n");
  print_torch_declarations(p, library);
  p.print("namespace opweave {");
  print_checks(p, library);
  p.print("namespace {\n");
  for (const Operator* op : library.operators) {
    if (op->formulas->batching != nullptr) print_batched(p, *op);
    if (writes_alone(*op)) print_written(p, *op);
    if (op->formulas->composite != nullptr)
      print_composite(p, *op);
    else if (op->gradient->derivative != nullptr)
      print_torch_autograd(p, *op, names.of(*op));
  }
  p.print("}  // namespace\n");
  print_definitions(p, library);
  const auto is_composite = [](const Operator& op) { return op.formulas->composite != nullptr; };
  // A batch goes through what they are made of as well.
  for (const char* key : {"CompositeImplicitAutograd", "FuncTorchBatchedDecomposition"})
    print_registration(p, library, key, "_composite", is_composite);
  print_registration(p, library, "FuncTorchBatchedDecomposition", "_batched",
                     [](const Operator& op) { return op.formulas->batching != nullptr; });
  print_registration(p, library, "Autograd", "_autograd", [](const Operator& op) {
    return op.gradient->derivative != nullptr || writes_alone(op);
  });
  print_registration(p, library, "ADInplaceOrView", "_written", writes_alone);
  // Nothing goes through these: their results require no gradient.
  print_registration(p, library, "Autograd", "", [](const Operator& op) {
    return op.gradient->derivative == nullptr && op.formulas->composite == nullptr &&
           !writes_alone(op);
  });
  p.print("\n}  // namespace opweave");
  return p.take();
}

}  // namespace opweave::codegen
