// What PyTorch cannot be given.
#include <algorithm>
#include <string>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/torch/face.h"
#include "codegen/emit/torch/torch.h"

namespace opweave::codegen {
namespace {

class TorchChecker {
 public:
  TorchChecker(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {}

  void check() {
    if (!op_.generated) check_entry();
    if (op_.derivative == nullptr) return;
    for (const DerivativeFormula& formula : op_.derivative->formulas) {
      if (formula.uses_grad_input_mask) refuse(op_.span, "a gradient that reads grad_input_mask");
      if (formula.formula != nullptr) check_formula(*formula.formula);
    }
    for (const ForwardFormula& forward : op_.derivative->forward) {
      for (const ForwardFormula::Term& term : forward.terms) check_formula(*term.formula);
    }
  }

 private:
  // Operators that are derived from an entry have what it has.
  void check_entry() {
    check_computation();
    for (const Argument& argument : op_.schema.arguments) check_argument(argument);
    for (const Return& result : op_.schema.returns) {
      if (result.type.list) refuse(result.span, "a result that is a list");
    }
  }

  void check_computation() {
    if (op_.form != Form::functional && !op_.schema.returns.empty())
      return refuse(op_.schema.span, "an argument that is written and a result");
    if (op_.form != Form::functional) check_written();
    if (op_.is_view()) return refuse(op_.schema.span, "a result that is a view");
    if (op_.composite != nullptr) return check_composite();
    if (!op_.is_expr()) return check_kernel();
    if ((op_.dtypes.bits & dtypes::kCommon) == 0)
      refuse(op_.schema.span, "an operator of none but float8 and wide unsigned dtypes");
  }

  // PyTorch makes a trace functional again where writing is all that a call does.
  void check_written() {
    if (!op_.has_hardware_kernel())
      refuse(op_.schema.span, "an argument that is written, and no kernel of its own");
    for (const uint16_t i : op_.mutated) {
      const Argument& argument = op_.schema.arguments[i];
      if (argument.type.list) refuse(argument.type_span, "a list of tensors that are written");
      if (argument.type.optional)
        refuse(argument.type_span, "a tensor that is written and may be None");
    }
    if (op_.derivative != nullptr)
      refuse(op_.schema.span, "an argument that is written, and a gradient");
  }

  void check_composite() {
    if (op_.has_conditions())
      refuse(op_.rule->requirements.front().span, "a formula with conditions of its own");
    check_formula(*op_.composite);
  }

  void check_kernel() {
    for (const std::string& target : op_.targets) {
      if (target != "cpu" && target != "cuda")
        refuse(op_.schema.span, "a kernel for '" + target + "'");
    }
    if (!op_.fills_results() && !writes_alone(op_))
      return refuse(op_.schema.span, "a kernel and no rule (`result`) that says what it gives");
    if (op_.rule == nullptr) return;
    for (const OutputRule& output : op_.rule->outputs) {
      if (output.strides != nullptr)
        refuse(output.strides->span, "a result with strides of its own");
      if (output.when != nullptr) refuse(output.when->span, "a result that there may be none of");
    }
    for_each_formula(*op_.rule, [&](const FormulaNode& node) { check_rule(node); });
    if (op_.batching_formula != nullptr) check_formula(*op_.batching_formula);
  }

  // What support/rules.h has.
  void check_rule(const FormulaNode& node) {
    constexpr std::string_view kFunctions[] = {
        "wrap",        "with_dim", "size_along", "reduced",   "same",     "broadcast",
        "concat",      "first",    "last",       "without",   "replaced", "inserted",
        "product",     "min",      "max",        "floor_div", "promoted", "is_floating",
        "is_integral", "or_else",  "accumulated"};
    if (node.kind == FormulaKind::function &&
        std::ranges::find(kFunctions, node.function->base_name) == std::end(kFunctions))
      refuse(node.span, "a rule that calls '" + node.function->base_name + "'");
    for (const FormulaNode* operand : node.operands) check_rule(*operand);
  }

  void check_argument(const Argument& argument) {
    const Type& type = argument.type;
    if (type.is_tensor() && type.optional && op_.is_expr())
      refuse(argument.type_span, "an expression of a tensor that may be None");
    if (type.is_tensor_list()) check_list(argument);
    if (type.base == BaseType::object)
      refuse(argument.type_span, "the type '" + std::string(type.object) + "' of Opweave alone");
  }

  // A node has an edge for each tensor of its call, whose number is known beforehand.
  void check_list(const Argument& argument) {
    if (argument.type.element_optional)
      refuse(argument.type_span, "a list of tensors that may be None");
    if (op_.derivative != nullptr)
      refuse(argument.type_span, "a list of tensors, and a gradient by formulas");
  }

  void check_formula(const FormulaNode& node) {
    if (node.kind == FormulaKind::function)
      refuse(node.span, "the function '" + node.function->base_name + "' of rules in a gradient");
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }

  void refuse(Span where, const std::string& feature) {
    sink_
        .error(Code::not_for_torch, where,
               "'" + op_.full_name + "' has " + feature + ", which cannot be emitted for PyTorch")
        .note({}, "opweave gen without --emit=torch can build it");
  }

  const Operator& op_;
  DiagnosticSink& sink_;
};

}  // namespace

void check_torch(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : extension_operators(model)) TorchChecker(*op, sink).check();
}

}  // namespace opweave::codegen
