// Backward passes from derivatives.
#include "codegen/model/lowered/backward.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

using Kept = BackwardPass::Kept;
using Read = BackwardPass::Read;
using Step = BackwardPass::Step;

bool contains(const std::vector<uint16_t>& list, uint16_t value) {
  return std::ranges::find(list, value) != list.end();
}

ArgumentGradient gradient_of(const DerivativeFormula& formula) {
  switch (formula.kind) {
    case DerivativeFormula::Kind::formula:
      return ArgumentGradient::formula;
    case DerivativeFormula::Kind::zero:
      return ArgumentGradient::zeros;
    case DerivativeFormula::Kind::non_differentiable:
      break;
  }
  return formula.refused ? ArgumentGradient::refused : ArgumentGradient::constant;
}

class Lowering {
 public:
  Lowering(const Schema& schema, const Derivative& derivative)
      : schema_(schema), derivative_(derivative) {}

  BackwardPass run() {
    pass_.results = derivative_.differentiable_outputs;
    add_arguments();
    for (const DerivativeFormula& formula : derivative_.formulas) add_steps(formula);
    for (uint16_t i = 0; i < derivative_.saved.size(); ++i) add_kept(i);
    return std::move(pass_);
  }

 private:
  void add_arguments() {
    for (uint16_t i = 0; i < schema_.arguments.size(); ++i) {
      const DerivativeFormula* formula = derivative_.formula_of(i);
      pass_.arguments.push_back(formula ? gradient_of(*formula) : ArgumentGradient::no_tensor);
      if (pass_.is_input(i))
        pass_.inputs.push_back({i, schema_.arguments[i].type.is_tensor_list()});
    }
  }

  // What is not differentiated by takes no step, and zeros are made for each input alone: nobody
  // may have asked for the others.
  void add_steps(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::formula) {
      pass_.steps.push_back({.arguments = formula.inputs,
                             .formula = formula.formula,
                             .reads = formula.saved,
                             .gradients = formula.gradients,
                             .runs_for = runs_for(formula),
                             .filled = formula.filled,
                             .asks_mask = formula.uses_grad_input_mask});
    } else if (formula.kind == DerivativeFormula::Kind::zero) {
      for (const uint16_t argument : formula.inputs)
        pass_.steps.push_back({.arguments = {argument}, .runs_for = runs_for(formula)});
    }
  }

  std::vector<uint16_t> runs_for(const DerivativeFormula& formula) const {
    if (!formula.gradients.empty()) return formula.gradients;
    std::vector<uint16_t> results;
    for (uint16_t i = 0; i < pass_.results.size(); ++i) {
      if (pass_.results[i]) results.push_back(i);
    }
    return results;
  }

  void add_kept(uint16_t index) {
    const auto reads = [&](const Step& step) { return contains(step.reads, index); };
    Kept& kept = pass_.kept.emplace_back(Kept{.what = derivative_.saved[index]});
    kept.shared = std::ranges::count_if(pass_.steps, reads) > 1;
    if (!kept.is_whole() || !kept.has_tensors()) return;
    for (uint16_t i = 0; i < pass_.inputs.size(); ++i) {
      if (reads(*pass_.step_of(pass_.inputs[i].argument))) kept.only_for.push_back(i);
    }
    if (kept.only_for.size() == pass_.inputs.size()) kept.only_for.clear();
  }

  const Schema& schema_;
  const Derivative& derivative_;
  BackwardPass pass_;
};

Read::Part part_of(Property property) {
  switch (property) {
    case Property::size:
    case Property::stride:
      return Read::Part::at;
    case Property::dim:
      return Read::Part::length;
    case Property::numel:
      return Read::Part::product;
    default:
      return Read::Part::whole;
  }
}

// The value that answers a property of an argument or result.
bool answers(const Saved& saved, const FormulaNode& property) {
  if (saved.kind == Saved::Kind::forward_value) return saved.node == &property;
  const FormulaNode& subject = property.operand(0);
  const bool of_kind =
      (saved.kind == Saved::Kind::argument_property && subject.kind == FormulaKind::argument) ||
      (saved.kind == Saved::Kind::result_property && subject.kind == FormulaKind::result);
  return of_kind && saved.index == subject.index &&
         saved.property == saved_property(property.property);
}

bool answers_leaf(const Saved& saved, const FormulaNode& node) {
  switch (node.kind) {
    case FormulaKind::argument:
      return saved.kind == Saved::Kind::argument && saved.index == node.index;
    case FormulaKind::result:
      return saved.kind == Saved::Kind::result && saved.index == node.index;
    case FormulaKind::property:
      return answers(saved, node);
    default:
      return false;
  }
}

}  // namespace

uint16_t BackwardPass::input_of(uint16_t argument) const {
  const auto found = std::ranges::find(inputs, argument, &Input::argument);
  return static_cast<uint16_t>(found - inputs.begin());
}

const Step* BackwardPass::step_of(uint16_t argument) const {
  const auto found = std::ranges::find_if(
      steps, [&](const Step& step) { return contains(step.arguments, argument); });
  return found == steps.end() ? nullptr : &*found;
}

std::vector<uint16_t> BackwardPass::refused() const {
  std::vector<uint16_t> found;
  for (uint16_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == ArgumentGradient::refused) found.push_back(i);
  }
  return found;
}

bool BackwardPass::fills() const {
  return std::ranges::any_of(steps, [](const Step& step) { return !step.filled.empty(); });
}

bool BackwardPass::makes_zeros() const { return std::ranges::any_of(steps, &Step::is_zeros); }

std::vector<const FormulaNode*> BackwardPass::formulas() const {
  std::vector<const FormulaNode*> found;
  for (const Step& step : steps) {
    if (!step.is_zeros()) found.push_back(step.formula);
  }
  return found;
}

std::optional<Read> BackwardPass::read_of(const FormulaNode& node) const {
  const auto found =
      std::ranges::find_if(kept, [&](const Kept& one) { return answers_leaf(one.what, node); });
  if (found == kept.end()) return std::nullopt;
  const bool computed = found->what.kind == Saved::Kind::forward_value;
  return Read{.kept = static_cast<uint16_t>(found - kept.begin()),
              .part = node.kind == FormulaKind::property && !computed ? part_of(node.property)
                                                                      : Read::Part::whole};
}

BackwardPass lower_backward(const Schema& schema, const Derivative& derivative) {
  return Lowering(schema, derivative).run();
}

}  // namespace opweave::codegen
