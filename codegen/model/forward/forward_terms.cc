// Splitting sums, and what makes a term wrong.
#include "codegen/model/forward/forward_terms.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

// `a + b` without further arguments.
bool is_sum(const FormulaNode& node) {
  if (node.kind != FormulaKind::call || node.operands.size() < 2) return false;
  if (node.op->name.base != operator_for_symbol("+", 2)) return false;
  const auto tensor = [&](size_t i) { return node.operand(i).type.is_tensor(); };
  return tensor(0) && tensor(1) &&
         std::all_of(node.operands.begin() + 2, node.operands.end(),
                     [](const FormulaNode* operand) { return operand->is_default; });
}

// The tangents that a formula reads, one node for each argument.
void find_tangents(const FormulaNode& node, std::vector<const FormulaNode*>& found) {
  const auto same = [&](const FormulaNode* other) { return other->index == node.index; };
  if (node.kind == FormulaKind::tangent && std::ranges::none_of(found, same)) {
    found.push_back(&node);
  }
  for (const FormulaNode* operand : node.operands) find_tangents(*operand, found);
}

std::vector<const FormulaNode*> tangents_of(const FormulaNode& node) {
  std::vector<const FormulaNode*> found;
  find_tangents(node, found);
  return found;
}

// A product of two tangents, or a quotient by one, in the formula; null if there is none.
const FormulaNode* find_nonlinear(const FormulaNode& node) {
  if (node.kind == FormulaKind::call && node.operands.size() >= 2) {
    const bool second = !tangents_of(node.operand(1)).empty();
    const bool product =
        node.op->name.base == operator_for_symbol("*", 2) && !tangents_of(node.operand(0)).empty();
    if (second && (product || node.op->name.base == operator_for_symbol("/", 2))) return &node;
  }
  for (const FormulaNode* operand : node.operands) {
    if (const FormulaNode* found = find_nonlinear(*operand)) return found;
  }
  return nullptr;
}

void split(const FormulaNode& node, std::vector<ForwardFormula::Term>& terms) {
  if (is_sum(node)) {
    split(node.operand(0), terms);
    split(node.operand(1), terms);
    return;
  }
  ForwardFormula::Term& term = terms.emplace_back(ForwardFormula::Term{.formula = &node});
  for (const FormulaNode* tangent : tangents_of(node)) term.tangents.push_back(tangent->index);
}

bool check_term(const FormulaNode& node, const Operator& op, const Derivative& derivative,
                DiagnosticSink& sink) {
  const std::vector<const FormulaNode*> tangents = tangents_of(node);
  if (tangents.empty()) {
    sink.error(Code::bad_forward_rule, node.span,
               "this term reads no tangent: a forward rule is linear in them");
    return false;
  }
  if (const FormulaNode* nonlinear = find_nonlinear(node)) {
    sink.error(Code::bad_forward_rule, nonlinear->span,
               "a forward rule is linear in the tangents: it multiplies no two of them and divides "
               "by none");
    return false;
  }
  for (const FormulaNode* tangent : tangents) {
    const DerivativeFormula* gradient = derivative.formula_of(tangent->index);
    if (gradient && gradient->kind != DerivativeFormula::Kind::non_differentiable) continue;
    const Argument& argument = op.schema.arguments[tangent->index];
    sink.error(Code::bad_forward_rule, tangent->span,
               fmt::format("'{0}' of '{1}' is not differentiable: there is no '{0}_t'",
                           argument.name, op.name.full))
        .note(argument.span, "it is declared here");
    return false;
  }
  return true;
}

bool only_zero(const Derivative& derivative) {
  return std::ranges::none_of(derivative.formulas, [](const DerivativeFormula& f) {
    return f.kind == DerivativeFormula::Kind::formula;
  });
}

ForwardWay way_of(const ForwardFormula& formula) {
  switch (formula.kind) {
    case ForwardFormula::Kind::linear:
      return ForwardWay::linear;
    case ForwardFormula::Kind::elementwise:
      return ForwardWay::elementwise;
    case ForwardFormula::Kind::formula:
      break;
  }
  return ForwardWay::formula;
}

}  // namespace

ForwardWay forward_way(const Operator& op) {
  const bool tensors = !op.tensor_arguments().empty();
  if (op.forms->form == Form::out) return tensors ? ForwardWay::out : ForwardWay::none;
  if (op.loses_gradient()) return ForwardWay::lost;
  if (op.gradient->differentiability == Differentiability::none) {
    // A kernel may call operators, which would let tangents through.
    const bool is_opaque = tensors && !op.is_expr() && !op.is_view();
    return op.forms->form == Form::inplace || is_opaque ? ForwardWay::zero : ForwardWay::none;
  }
  if (op.gradient->differentiability == Differentiability::not_implemented)
    return ForwardWay::reverse;
  const bool given = op.gradient->differentiability == Differentiability::formula;
  if (!given || !tensors || op.effects.mutated.size() > 1) return ForwardWay::none;
  if (only_zero(*op.gradient->derivative)) {
    if (!op.effects.mutated.empty()) return ForwardWay::zero;
    // A kernel that calls operators would let tangents through: a rule without terms does not, and
    // looks at what is refused.
    const bool refuses =
        std::ranges::any_of(op.gradient->derivative->formulas, &DerivativeFormula::refused);
    return op.serves_every_target() || refuses ? ForwardWay::formula : ForwardWay::none;
  }
  const auto& forward = op.gradient->derivative->forward;
  if (!forward.empty()) return way_of(forward[0]);
  const bool elementwise = op.is_expr() && !op.gradient->derivative->conjugates;
  return elementwise ? ForwardWay::elementwise : ForwardWay::reverse;
}

std::vector<ForwardFormula::Term> forward_terms(const FormulaNode& formula) {
  std::vector<ForwardFormula::Term> terms;
  split(formula, terms);
  return terms;
}

bool check_terms(const std::vector<ForwardFormula::Term>& terms, const Operator& op,
                 const Derivative& derivative, DiagnosticSink& sink) {
  bool fine = true;
  for (const ForwardFormula::Term& term : terms)
    fine = check_term(*term.formula, op, derivative, sink) && fine;
  return fine;
}

}  // namespace opweave::codegen
