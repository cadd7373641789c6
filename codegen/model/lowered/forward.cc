// Forward rules from derivatives.
#include "codegen/model/lowered/forward.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

// Where the sums of an in-place form are taken from.
const Operator& source_of(const Operator& op) {
  const bool derived = op.forms->form == Form::inplace && op.forms->functional != nullptr;
  return derived && op.forms->functional->gradient->derivative == op.gradient->derivative
             ? *op.forms->functional
             : op;
}

std::vector<TangentSum> written_sums(const Derivative& derivative) {
  std::vector<TangentSum> sums;
  for (const ForwardFormula& formula : derivative.forward) {
    if (!formula.terms.empty()) sums.push_back({formula.output, formula.terms, formula.formula});
  }
  return sums;
}

std::vector<TangentSum> sums_of_gradients(const Derivative& derivative) {
  TangentSum sum;
  for (const DerivativeFormula& gradient : derivative.formulas) {
    if (gradient.formula != nullptr) sum.terms.push_back({gradient.formula, gradient.inputs});
  }
  return {sum};
}

std::vector<TangentSum> sums_of(ForwardWay way, const Derivative* derivative) {
  switch (way) {
    case ForwardWay::formula:
      return written_sums(*derivative);
    case ForwardWay::elementwise:
      return sums_of_gradients(*derivative);
    default:
      return {};
  }
}

// Without formulas all tensors may have tangents, and all results get some.
std::vector<uint16_t> inputs_of(const Operator& op) {
  std::vector<uint16_t> inputs = op.tensor_arguments();
  if (op.gradient->derivative == nullptr) return inputs;
  std::erase_if(inputs, [&](uint16_t i) {
    const DerivativeFormula* formula = op.gradient->derivative->formula_of(i);
    return formula == nullptr || formula->kind == DerivativeFormula::Kind::non_differentiable;
  });
  return inputs;
}

std::vector<uint16_t> outputs_of(const Operator& op) {
  std::vector<uint16_t> outputs;
  for (uint16_t i = 0; i < op.schema.returns.size(); ++i) {
    if (op.gradient->derivative == nullptr || op.gradient->derivative->differentiable_outputs[i])
      outputs.push_back(i);
  }
  return outputs;
}

bool reads_written(const Operator& op, const ForwardPass& pass) {
  if (op.effects.mutated.empty()) return false;
  return pass.way == ForwardWay::reverse ||
         std::ranges::any_of(pass.sums, [&](const TangentSum& sum) {
           return sum.reads_argument(op.effects.mutated.front());
         });
}

}  // namespace

bool TangentSum::reads_argument(uint16_t argument) const {
  return std::ranges::any_of(terms, [&](const ForwardFormula::Term& term) {
    return codegen::reads_argument(*term.formula, argument);
  });
}

std::vector<const FormulaNode*> ForwardPass::formulas() const {
  std::vector<const FormulaNode*> found;
  for (const TangentSum& sum : sums) {
    for (const ForwardFormula::Term& term : sum.terms) {
      if (sum.written != nullptr) found.push_back(term.formula);
    }
  }
  return found;
}

ForwardPass lower_forward(const Operator& op) {
  const Operator& source = source_of(op);
  ForwardPass pass;
  pass.way = forward_way(op);
  pass.by_functional = &source != &op;
  pass.sums = sums_of(pass.way, op.gradient->derivative);
  pass.inputs = inputs_of(op);
  pass.outputs = outputs_of(op);
  pass.reads_written = reads_written(op, pass);
  return pass;
}

bool reads_argument(const FormulaNode& node, uint16_t argument) {
  if (node.kind == FormulaKind::argument && node.index == argument) return true;
  return std::ranges::any_of(node.operands, [&](const FormulaNode* operand) {
    return reads_argument(*operand, argument);
  });
}

}  // namespace opweave::codegen
