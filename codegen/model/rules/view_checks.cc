// Checks of `kernels: [view]`: what is printed from the rule has to be said by it.
#include "codegen/model/rules/view_checks.h"

#include <fmt/format.h>

namespace opweave::codegen {
namespace {

class ViewChecker {
 public:
  ViewChecker(const Operator& op, const Rule& rule, DiagnosticSink& sink)
      : op_(op), rule_(rule), sink_(sink) {}

  void check() {
    if (op_.computation->targets.size() > 1)
      return fail(op_.origin.span, "is 'view', which is all there is to do on any target",
                  "kernels: [view]");
    if (!takes_one_tensor()) {
      return fail(op_.schema.name_span,
                  "has to take a tensor and return a view of it, or change it",
                  "(Tensor(a) self, ...) -> Tensor(a)");
    }
    op_.effects.mutated.empty() ? check_geometry() : check_call();
  }

 private:
  // `(Tensor(a) self, ...) -> Tensor(a)`, or with `(a!)`: of the first argument, and no other
  // tensor.
  bool takes_one_tensor() const {
    const Schema& schema = op_.schema;
    if (schema.arguments.empty() || schema.returns.size() != 1) return false;
    const Type& type = schema.arguments[0].type;
    const bool one =
        type.is_tensor() && !type.optional && type.alias && op_.tensor_arguments().size() == 1;
    return one && schema.returns[0].type.is_tensor() &&
           (op_.effects.mutated.empty() ? op_.is_view() : schema.returns[0].type.alias.has_value());
  }

  void check_geometry() {
    if (rule_.like || rule_.outputs.size() != 1)
      return fail(op_.origin.span, "is 'view': its rule has to say what the view is", kGeometry);
    const OutputRule& view = rule_.outputs[0];
    if (!view.strides || !view.offset)
      fail(view.sizes->span, "is 'view': its rule has to give strides and offset", kGeometry);
    for (const FormulaNode* other : {view.dtype, view.device, view.when}) {
      if (other)
        fail(other->span, "is 'view', which has the dtype and the device of what it views",
             kGeometry);
    }
  }

  void check_call() {
    const FormulaNode* call = rule_.like;
    const bool is_call = call && call->kind == FormulaKind::call && call->op != nullptr &&
                         call->op->is_view_of_rule() && call->op->effects.mutated.empty() &&
                         call->operands.size() == op_.schema.arguments.size();
    bool same = is_call;
    for (size_t i = 0; same && i < call->operands.size(); ++i) {
      const FormulaNode& operand = call->operand(i);
      same = operand.kind == FormulaKind::argument && operand.index == i;
    }
    if (!same) {
      fail(call ? call->span : op_.origin.span,
           "changes its tensor to a view of it: its rule has to call that view with the same "
           "arguments",
           "result: \"transpose(self, dim0, dim1)\"");
    }
  }

  void fail(Span span, std::string_view what, std::string_view example) {
    sink_.error(Code::bad_view, span, fmt::format("'{}' {}", op_.name.full, what))
        .note({}, fmt::format("such as {}", example));
  }

  static constexpr std::string_view kGeometry =
      "result: {sizes: self.sizes(), strides: self.strides(), offset: self.storage_offset()}";

  const Operator& op_;
  const Rule& rule_;
  DiagnosticSink& sink_;
};

}  // namespace

void check_view(const Operator& op, const Rule& rule, DiagnosticSink& sink) {
  ViewChecker(op, rule, sink).check();
}

}  // namespace opweave::codegen
