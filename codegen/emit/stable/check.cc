// What the stable interface cannot describe.
#include <algorithm>
#include <string>

#include "codegen/emit/formulas/out_dtypes.h"
#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/stable/check_formula.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

class StableChecker {
 public:
  StableChecker(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {}

  void check() {
    if (op_.forms->form != Form::functional) return check_form();
    check_arguments();
    check_face();
    if (op_.is_fold()) {
      refuse(op_.schema.span, "an expression that folds");
    } else if (op_.is_expr()) {
      check_expression();
    } else if (op_.formulas->composite != nullptr) {
      check_formula(*op_.formulas->composite);
    } else {
      check_kernel();
    }
    if (op_.lowered->backward != nullptr) check_gradient();
    if (op_.gradient->derivative != nullptr) warn_of_tangents();
  }

 private:
  // Forms that are derived run the functional one, or its loops.
  void check_form() {
    if (op_.forms->functional == nullptr)
      return refuse(op_.schema.span, "an argument that is written");
    if (op_.computation->implementation == Implementation::kernels)
      return refuse(op_.schema.span, "a form with a kernel of its own");
    if (!op_.is_expr() && op_.forms->functional->is_expr())
      return refuse(op_.schema.span, "a form that is computed in another way");
    if (op_.forms->form == Form::out && computes_as_out(*op_.forms->functional))
      refuse(op_.schema.span, "a dtype that is that of `out` where none is asked for");
  }

  void check_arguments() {
    for (const Argument& argument : op_.schema.arguments) {
      if (argument.type.base == BaseType::object)
        refuse(argument.type_span, "an argument that is a " + std::string(argument.type.object));
    }
    for (const Return& result : op_.schema.returns) {
      if (result.type.base == BaseType::object)
        refuse(result.span, "a result that is a " + std::string(result.type.object));
    }
    if (op_.tensor_arguments().empty())
      refuse(op_.schema.span, "no tensor among its arguments, by which calls find their device");
    for (size_t i = 0; i < op_.schema.arguments.size(); ++i) {
      if (op_.policies->role(i) == Role::statistics)
        refuse(op_.schema.arguments[i].type_span, "an argument that calls update beside results");
    }
  }

  void check_face() {
    if (op_.is_view()) refuse(op_.schema.span, "a result that is a view");
    if (op_.face->nn_function || !op_.face->python_module.empty())
      refuse(op_.schema.span, "a function outside of opweave itself");
    if (op_.policies->autocast.any()) refuse(op_.schema.span, "a dtype for autocast");
    if (has_tag(op_, "random")) refuse(op_.schema.span, "random numbers");
    if (op_.policies->batching == Batching::batch)
      refuse(op_.formulas->batching->span, "a formula for all examples of a batch at once");
    if (op_.policies->batching == Batching::example) check_formula(*op_.formulas->batching);
  }

  // All arguments that are no tensors are numbers of the expression.
  void check_expression() {
    const PointwiseLayout layout = pointwise_layout(op_);
    for (const PointwiseParam& param : layout.params) {
      if (param.kind != PointwiseParam::Kind::value)
        return refuse(
            op_.schema.arguments[param.argument].type_span,
            "an argument of which its expression asks whether it is given, or which text");
    }
    for (const Argument& argument : op_.schema.arguments) {
      if (argument.type.optional || !has_elements(argument.type))
        refuse(argument.type_span,
               "an expression with an argument that is optional, text or a list");
    }
    if (layout.inputs.size() + layout.params.size() != op_.schema.arguments.size())
      refuse(op_.schema.span, "an argument that its expression does not use");
  }

  void check_kernel() {
    for (const std::string& target : op_.computation->targets) {
      if (target == "cpu") continue;
      const bool hardware = target != "composite" && target != "every_target" && target != "view";
      return refuse(op_.schema.span, hardware ? "a kernel for '" + target + "'"
                                              : "a kernel that serves every target");
    }
    if (op_.lowered->batching.rule == BatchRule::none &&
        op_.policies->batching != Batching::example)
      refuse(op_.schema.span, "no rule for batches");
    if (op_.rule == nullptr) return;
    for_each_formula(*op_.rule, [&](const FormulaNode& node) { check_formula(node); });
  }

  // Zeros for a list: the interface makes those of one tensor.
  void check_zeros() {
    for (const BackwardPass::Input& input : op_.lowered->backward->inputs) {
      const bool zeros =
          op_.lowered->backward->arguments[input.argument] == ArgumentGradient::zeros;
      if (zeros && input.list)
        refuse(op_.schema.arguments[input.argument].type_span,
               "a list of tensors whose gradients are zeros");
    }
  }

  void check_gradient() {
    check_zeros();
    for (const FormulaNode* formula : op_.lowered->backward->formulas()) check_formula(*formula);
  }

  // The interface derives tangents of the gradient: what is said of them is not called.
  void warn_of_tangents() {
    for (const ForwardFormula& forward : op_.gradient->derivative->forward) {
      if (refused_ || forward.kind != ForwardFormula::Kind::formula || !forward.span) continue;
      sink_
          .warning(Code::not_stable, forward.span,
                   "'" + op_.name.full +
                       "' says what its tangent is, which a library for every release derives of "
                       "its gradient")
          .note({}, "the formula is not used; opweave gen without --emit=stable uses it");
    }
  }

  void check_formula(const FormulaNode& node) {
    if (refused_) return;
    if (const std::string feature = why_not_stable(node); !feature.empty())
      return refuse(node.span, feature);
    for (const FormulaNode* operand : node.operands) check_formula(*operand);
  }

  // The first is told: what follows may be the same once more.
  void refuse(Span where, const std::string& feature) {
    if (refused_) return;
    refused_ = true;
    sink_
        .error(Code::not_stable, where ? where : op_.schema.span,
               "'" + op_.name.full + "' has " + feature +
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
