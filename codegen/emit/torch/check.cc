// What PyTorch cannot be given.
#include <map>
#include <string>
#include <string_view>

#include "codegen/emit/extension/checker.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/torch/face.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

constexpr Framework kPyTorch{"PyTorch", "torch", Code::not_for_torch, RuleLibrary::torch};

class TorchChecker : ExtensionChecker {
 public:
  TorchChecker(const Operator& op, DiagnosticSink& sink) : ExtensionChecker(kPyTorch, op, sink) {}

  void check() {
    if (!op_.is_generated()) check_entry();
    if (op_.lowered->backward == nullptr) return;
    for (const BackwardPass::Step& step : op_.lowered->backward->steps) {
      if (step.asks_mask) refuse(op_.origin.span, "a gradient that reads grad_input_mask");
    }
    for (const FormulaNode* formula : op_.lowered->formulas()) check_formula(*formula);
  }

  // Of overloads the package has one function.
  void check_overload(const Operator& first) {
    if (returned_arguments(op_) != returned_arguments(first))
      refuse(op_.schema.span,
             "an overload that gives back other arguments than '" + first.name.full + "'");
  }

 private:
  // Operators that are derived from an entry have what it has.
  void check_entry() {
    check_computation();
    for (const Argument& argument : op_.schema.arguments) check_argument(argument);
    check_results();
  }

  void check_computation() {
    if (op_.forms->form != Form::functional && !writes_alone(op_))
      return refuse(op_.schema.span,
                    "an argument that is written, and a result that is another tensor");
    if (op_.forms->form != Form::functional) check_written();
    if (op_.is_view()) return refuse(op_.schema.span, "a result that is a view");
    if (op_.formulas->composite != nullptr) return check_composite();
    if (op_.is_fold()) return refuse(op_.schema.span, "an expression that folds");
    op_.is_expr() ? check_expression() : check_kernel();
  }

  // PyTorch makes a trace functional again where writing is all that a call does.
  void check_written() {
    if (!op_.has_hardware_kernel())
      refuse(op_.schema.span, "an argument that is written, and no kernel of its own");
    for (const uint16_t i : op_.effects.mutated) {
      const Argument& argument = op_.schema.arguments[i];
      if (argument.type.list) refuse(argument.type_span, "a list of tensors that are written");
      if (argument.type.optional)
        refuse(argument.type_span, "a tensor that is written and may be None");
    }
    if (op_.lowered->backward != nullptr)
      refuse(op_.schema.span, "an argument that is written, and a gradient");
  }

  void check_composite() {
    check_conditions();
    check_formula(*op_.formulas->composite);
  }

  void check_kernel() {
    for (const std::string& target : op_.computation->targets) {
      if (target != "cpu" && target != "cuda")
        refuse(op_.schema.span, "a kernel for '" + target + "'");
    }
    if (!op_.fills_results() && !writes_alone(op_))
      return refuse(op_.schema.span, "a kernel and no rule (`result`) that says what it gives");
    check_rule();
    if (op_.formulas->batching != nullptr) check_formula(*op_.formulas->batching);
  }

  void check_argument(const Argument& argument) {
    const Type& type = argument.type;
    if (type.is_tensor() && type.optional && op_.is_expr())
      refuse(argument.type_span, "an expression of a tensor that may be None");
    check_type(argument);
  }

  void check_formula(const FormulaNode& node) {
    if (node.kind == FormulaKind::function)
      refuse(node.span, "the function '" + node.function->base_name + "' of rules in a formula");
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }
};

}  // namespace

void check_torch(const Model& model, DiagnosticSink& sink) {
  std::map<std::string_view, const Operator*> first;
  for (const Operator* op : extension_operators(model)) {
    TorchChecker checker(*op, sink);
    checker.check();
    checker.check_overload(*first.try_emplace(op->name.base, op).first->second);
  }
}

}  // namespace opweave::codegen
