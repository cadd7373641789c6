// Which operators are emitted for other frameworks, and their parameters in Python.
#include "codegen/emit/extension/operators.h"

#include <algorithm>

#include "codegen/emit/output/outputs.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/signature.h"
#include "schema/python_text.h"

namespace opweave::codegen {

const std::string_view kPythonBanner =
    "# Generated from ops.yaml and derivatives.yaml. Do not edit.";

std::vector<const Operator*> extension_operators(const Model& model) {
  std::vector<const Operator*> operators;
  for (const Operator* op : model.operators().all()) {
    if (op->is_emitted() &&
        (op->forms->form == Form::functional || op->forms->form == Form::manual))
      operators.push_back(op);
  }
  return operators;
}

std::vector<const Operator*> public_operators(std::vector<const Operator*> ops) {
  std::erase_if(ops, [](const Operator* op) { return op->face->internal; });
  std::ranges::stable_sort(
      ops, {}, [](const Operator* op) -> auto& { return op->name.base; });
  const auto same = [](const Operator* a, const Operator* b) {
    return a->name.base == b->name.base;
  };
  ops.erase(std::unique(ops.begin(), ops.end(), same), ops.end());
  return ops;
}

std::vector<const Operator*> handwritten_operators(std::vector<const Operator*> ops) {
  std::erase_if(ops,
                [](const Operator* op) { return !op->has_hardware_kernel() || op->is_expr(); });
  return ops;
}

bool is_differentiable(const Operator& op) {
  return op.gradient->differentiability == Differentiability::formula ||
         op.gradient->differentiability == Differentiability::through;
}

void add_called(const FormulaNode& formula, std::vector<const Operator*>& called) {
  if (formula.kind == FormulaKind::call) called.push_back(formula.op);
  for (const FormulaNode* operand : formula.operands) add_called(*operand, called);
}

std::string python_parameters(const Operator& op,
                              const std::function<std::string(const Argument&)>& behind) {
  CommaList list;
  bool keyword_only = false;
  for (const Argument& argument : op.schema.arguments) {
    if (argument.keyword_only && !keyword_only) list.add("*");
    keyword_only = argument.keyword_only;
    std::string text = schema::python_identifier(argument.name);
    if (behind)
      text += behind(argument);
    else if (argument.default_value)
      text += "=" + python_constant(*argument.default_value);
    list.add(text);
  }
  return list.text();
}

std::string python_defaults(const Operator& op) {
  CommaList defaults;
  for (const Argument& argument : op.schema.arguments) {
    if (argument.default_value)
      defaults.add(quoted(argument.name) + ": " + python_constant(*argument.default_value));
  }
  return defaults.text();
}

std::string compute_name(ComputeRule rule) {
  constexpr std::string_view kNames[] = {"common", "int_to_float", "first", "same"};
  return std::string(kNames[static_cast<size_t>(rule)]);
}

}  // namespace opweave::codegen
