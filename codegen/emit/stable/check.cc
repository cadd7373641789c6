// What the stable interface cannot describe.
#include <algorithm>
#include <string>

#include "codegen/emit/pointwise_layout.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/model/derivative.h"

namespace opweave::codegen {
namespace {

bool is_plain(const Type& type) {
  if (type.list || type.optional) return false;
  return type.base == BaseType::tensor || type.base == BaseType::scalar ||
         type.base == BaseType::integer || type.base == BaseType::floating ||
         type.base == BaseType::boolean;
}

class StableChecker {
 public:
  StableChecker(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {}

  void check() {
    if (op_.form != Form::functional) return check_form();
    if (!op_.is_expr()) return refuse(op_.schema.span, computation());
    check_arguments();
    if (op_.nn_function || !op_.python_module.empty())
      refuse(op_.schema.span, "a function outside of opweave itself");
    if (op_.autocast.any()) refuse(op_.schema.span, "a dtype for autocast");
    if (op_.derivative == nullptr) return;
    for (const Saved& saved : op_.derivative->saved) {
      if (saved.kind != Saved::Kind::argument && saved.kind != Saved::Kind::result)
        refuse(op_.schema.span, "a gradient that saves more than arguments and results");
    }
    for (const DerivativeFormula& formula : op_.derivative->formulas) check_gradient(formula);
  }

 private:
  std::string computation() const {
    return op_.composite != nullptr ? "a formula (`composite`)" : "handwritten kernels";
  }

  // Derived forms run the functional one's loops.
  void check_form() {
    if (op_.functional == nullptr) return refuse(op_.schema.span, "an argument that is written");
    if (!op_.is_expr() && op_.functional->is_expr())
      refuse(op_.schema.span, "a form that is computed in another way");
  }

  // All that are no tensors are numbers of the expression.
  void check_arguments() {
    const PointwiseLayout layout = pointwise_layout(op_);
    for (const PointwiseParam& param : layout.params) {
      if (param.kind != PointwiseParam::Kind::value)
        return refuse(
            op_.schema.arguments[param.argument].type_span,
            "an argument of which its expression asks whether it is given, or which text");
    }
    for (const Argument& argument : op_.schema.arguments) {
      if (!is_plain(argument.type))
        refuse(argument.type_span, "an argument that is optional or text");
    }
    if (layout.inputs.size() + layout.params.size() != op_.schema.arguments.size())
      refuse(op_.schema.span, "an argument that its expression does not use");
  }

  void check_gradient(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    if (formula.formula == nullptr || formula.inputs.size() != 1)
      return refuse(op_.schema.span, "a gradient of zeros, or of several arguments at once");
    check_formula(*formula.formula);
  }

  void check_formula(const FormulaNode& node) {
    if (!is_known(node))
      return refuse(op_.schema.span, "a gradient of more than calls and numbers");
    if (node.kind == FormulaKind::call) {
      const auto plain = [](const Argument& a) { return is_plain(a.type); };
      if (!std::ranges::all_of(node.op->schema.arguments, plain))
        return refuse(op_.schema.span, "a gradient that calls '" + node.op->full_name + "'");
    }
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }

  static bool is_known(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::argument:
      case FormulaKind::gradient:
      case FormulaKind::result:
      case FormulaKind::call:
      case FormulaKind::constant:
        return is_plain(node.type);
      case FormulaKind::unary:
      case FormulaKind::binary:
        return node.type.base == BaseType::scalar || node.type.base == BaseType::floating ||
               node.kind == FormulaKind::unary;
      case FormulaKind::convert:
        return node.conversion == Conversion::number_to_tensor ||
               node.conversion == Conversion::number_to_scalar ||
               node.conversion == Conversion::int_to_float;
      default:
        return false;
    }
  }

  void refuse(Span where, const std::string& feature) {
    if (refused_) return;
    refused_ = true;
    sink_
        .error(Code::not_stable, where,
               "'" + op_.full_name + "' has " + feature +
                   ", which a library for every release cannot have")
        .note({}, "opweave gen without --emit=stable can build it");
  }

  const Operator& op_;
  DiagnosticSink& sink_;
  bool refused_ = false;
};

}  // namespace

void check_stable(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : model.operators().all()) {
    if (op->is_emitted()) StableChecker(*op, sink).check();
  }
}

}  // namespace opweave::codegen
