// What formulas read of tensors.
#include <algorithm>
#include <set>

#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

class Reads {
 public:
  explicit Reads(const Operator& op) : op_(op) {}

  void add(const FormulaNode& node) {
    if (node.kind == FormulaKind::argument &&
        op_.schema.arguments[node.index].type.is_tensor_like())
      arguments_.insert(node.index);
    if (node.kind == FormulaKind::result) results_.insert(node.index);
    const bool asks = node.kind == FormulaKind::property;
    const FormulaKind of = asks ? subject(node.operand(0)).kind : node.kind;
    const bool of_shape = asks && (of == FormulaKind::argument || of == FormulaKind::result);
    for (size_t i = of_shape ? 1 : 0; i < node.operands.size(); ++i) add(node.operand(i));
  }

  // An operator that is run on tangents gets what has none as it is.
  void add_what_never_moves() {
    for (const uint16_t i : op_.tensor_arguments()) {
      const DerivativeFormula* formula = op_.gradient->derivative->formula_of(i);
      if (formula == nullptr || formula->kind == DerivativeFormula::Kind::non_differentiable)
        arguments_.insert(i);
    }
  }

  ElementsRead found() const {
    return {{arguments_.begin(), arguments_.end()}, {results_.begin(), results_.end()}};
  }

 private:
  // What a part of a list is a part of.
  static const FormulaNode& subject(const FormulaNode& node) {
    const bool part = node.kind == FormulaKind::element || node.kind == FormulaKind::index;
    return part ? subject(node.operand(0)) : node;
  }

  const Operator& op_;
  std::set<uint16_t> arguments_, results_;
};

}  // namespace

ElementsRead elements_read(const Operator& op) {
  if (op.gradient->derivative == nullptr) return {};
  Reads reads(op);
  for (const DerivativeFormula& formula : op.gradient->derivative->formulas) {
    if (formula.formula != nullptr) reads.add(*formula.formula);
  }
  for (const ForwardFormula& forward : op.gradient->derivative->forward) {
    for (const ForwardFormula::Term& term : forward.terms) reads.add(*term.formula);
  }
  if (forward_way(op) == ForwardWay::linear) reads.add_what_never_moves();
  return reads.found();
}

}  // namespace opweave::codegen
