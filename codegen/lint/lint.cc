// The rules of the lint.
#include "codegen/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/model/gradients/numbers_of.h"

namespace opweave::codegen {
namespace {

using Tensors = std::set<std::string>;

Tensors kept_names(const Operator& op) {
  Tensors names;
  for (const KeptTensor& tensor : kept_by(op).tensors) names.insert(tensor.name);
  return names;
}

// The calls in a formula, outermost first.
template <typename Visit>
void visit_calls(const FormulaNode& node, Visit visit) {
  if (node.kind == FormulaKind::call) visit(node);
  for (const FormulaNode* operand : node.operands) visit_calls(*operand, visit);
}

class OperatorLint {
 public:
  OperatorLint(const Operator& op, std::vector<Finding>& findings) : op_(op), findings_(findings) {}

  void run() {
    for (const DerivativeFormula& formula : op_.gradient->derivative->formulas) {
      if (formula.formula == nullptr || formula.derived) continue;
      visit_calls(*formula.formula, [&](const FormulaNode& call) { look_at_call(call); });
    }
    if (op_.is_expr()) compare_with_derived();
  }

 private:
  void add(std::string tensor, std::string message, std::string rewrite, Span span) {
    const auto same = [&](const Finding& f) { return f.op == &op_ && f.tensor == tensor; };
    if (std::ranges::any_of(findings_, same)) return;
    findings_.push_back({&op_, std::move(tensor), std::move(message), std::move(rewrite),
                         op_.gradient->derivative->keeps, span});
  }

  // A tensor that goes whole into an operator whose result does not change with its elements.
  void look_at_call(const FormulaNode& call) {
    if (call.op->gradient->derivative == nullptr) return;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      const FormulaNode& operand = call.operand(i);
      const bool whole =
          (operand.kind == FormulaKind::argument || operand.kind == FormulaKind::result) &&
          operand.type.is_tensor();
      const DerivativeFormula* effect =
          call.op->gradient->derivative->formula_of(static_cast<uint16_t>(i));
      const bool ignored = effect != nullptr && effect->kind == DerivativeFormula::Kind::zero;
      if (!whole || !ignored || is_read_elsewhere(operand, call)) continue;
      const std::string& formal = call.op->schema.arguments[i].name;
      const std::string name = operand.kind == FormulaKind::argument
                                   ? op_.schema.arguments[operand.index].name
                                   : "result";
      add(name,
          fmt::format("the elements of '{0}' do not matter to '{1}', whose derivative with respect "
                      "to '{2}' is zero: if it reads only the sizes, hand it '{0}.sizes()'",
                      name, call.op->name.full, formal),
          "", operand.span);
    }
  }

  bool is_read_elsewhere(const FormulaNode& operand, const FormulaNode& call) const {
    return std::ranges::any_of(
        op_.gradient->derivative->formulas, [&](const DerivativeFormula& formula) {
          return formula.formula != nullptr && reads(*formula.formula, operand, call);
        });
  }

  static bool reads(const FormulaNode& node, const FormulaNode& what, const FormulaNode& except) {
    if (&node == &except) return false;
    if (node.kind == what.kind && node.index == what.index) return true;
    // Of a property no more is kept than that.
    if (node.kind == FormulaKind::property) return false;
    return std::ranges::any_of(
        node.operands, [&](const FormulaNode* operand) { return reads(*operand, what, except); });
  }

  // The formulas that would be derived from the expression, beside the author's.
  void compare_with_derived() {
    const bool given = std::ranges::any_of(
        op_.gradient->derivative->formulas,
        [](const DerivativeFormula& f) { return f.formula != nullptr && !f.derived; });
    if (!given) return;
    const Tensors now = kept_names(op_);
    Tensors derived;
    std::string rewrite;
    if (!collect_derived(derived, rewrite) || derived.size() >= now.size()) return;
    for (const std::string& name : now) {
      if (derived.contains(name)) continue;
      add(name,
          fmt::format("the derivative of the expr, which the formulas agree with, does without "
                      "'{}'",
                      name),
          rewrite, op_.origin.span);
    }
  }

  // False if one of the formulas has not been found equal to what is derived.
  bool collect_derived(Tensors& kept, std::string& rewrite) {
    ElementArena arena;
    Differentiator differentiator(arena);
    const ElementNode* tree = ElementCopier(arena, Simplify::no).copy(*op_.elements->expr);
    std::vector<std::string> names;
    for (const Argument& argument : op_.schema.arguments) names.push_back(argument.name);
    for (const DerivativeFormula& formula : op_.gradient->derivative->formulas) {
      if (formula.formula == nullptr || formula.inputs.size() != 1) continue;
      const bool agreed = formula.agreement.how == Agreement::How::by_algebra ||
                          formula.agreement.how == Agreement::How::in_numbers;
      if (!agreed && !formula.derived) return false;
      const ElementDerivative found = differentiator.differentiate(
          *tree, formula.inputs[0], Differentiator::Result::read, numbers_of(op_));
      for (uint16_t index : read_elements(*found.gradient)) {
        if (index != kGradIndex) kept.insert(index == kResultIndex ? "result" : names[index]);
      }
      rewrite += fmt::format("{}{}: {}", rewrite.empty() ? "" : "\n", names[formula.inputs[0]],
                             print(*found.gradient, names));
    }
    return true;
  }

  const Operator& op_;
  std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> find_kept_too_long(const Model& model) {
  std::vector<Finding> findings;
  for (const Operator* op : model.operators().all()) {
    const bool own = op->gradient->derivative != nullptr && !op->origin.imported &&
                     !op->is_generated() && op->forms->form != Form::out &&
                     (op->forms->form != Form::inplace || !op->forms->functional);
    if (own) OperatorLint(*op, findings).run();
  }
  return findings;
}

}  // namespace opweave::codegen
