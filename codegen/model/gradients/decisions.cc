// Which operators are differentiated, and by what.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/element_places.h"
#include "codegen/model/gradients/gradients.h"

namespace opweave::codegen {
namespace {

bool returns_tensor(const Schema& schema) {
  return std::ranges::any_of(schema.returns,
                             [](const Return& r) { return r.type.is_tensor_like(); });
}

// A result that is none of the arguments that are written.
bool returns_another_tensor(const Operator& op) {
  return std::ranges::any_of(op.schema.returns, [](const Return& r) {
    return r.type.is_tensor_like() && !r.type.is_mutated();
  });
}

}  // namespace

std::string gradient_statement(const Operator& op) {
  return fmt::format(
      "write an entry '- name: {}' in derivatives.yaml, or 'differentiable: false' here",
      op.name.full);
}

void Gradients::complete(bool imported) {
  for (const Draft& draft : drafts_) {
    if (draft.entry && !draft.op->origin.imported) decided_[draft.op] = decide(draft);
  }
  for (const Draft& draft : drafts_) {
    if (imported && draft.entry && draft.op->origin.imported)
      decided_[draft.op] = decide_imported(draft);
  }
  for (const Draft& draft : drafts_) {
    const Form form = draft.op->forms->form;
    const bool follows = form == Form::inplace || form == Form::out;
    draft.op->gradient.give(follows ? derive_form(*draft.op) : decided_[draft.op]);
  }
  derived_.complete();
}

// Whether there is anything to differentiate, and something to differentiate by.
bool Gradients::has_gradient(const Draft& draft) const {
  const Operator& op = *draft.op;
  if (!draft.entry->differentiable.value_or(true)) return false;
  bool in_and_out =
      !op.tensor_arguments().empty() && (returns_tensor(op.schema) || !op.effects.mutated.empty());
  bool floating = op.dtypes->computed.bits & (dtypes::kFloating | dtypes::kComplex);
  bool boolean_result = op.is_expr() && op.elements->promotion.result == ResultRule::boolean;
  const FoldFormula* fold = op.elements->fold;
  const auto has_gradient = [](const ElementNode* result) { return !is_place(*result); };
  const bool places = fold != nullptr && std::ranges::none_of(fold->results, has_gradient);
  return in_and_out && floating && !boolean_result && !places;
}

// The kernel of autograd for what writes an argument records the write, and no result beside it.
void Gradients::refuse_result_beside(const Operator& op, const DerivativeEntry& entry) {
  sink_
      .error(
          Code::derivative_conflict, entry.name.whole(),
          fmt::format("'{}' writes '{}' and returns another tensor, which cannot be differentiated",
                      op.name.full, op.schema.arguments[op.effects.mutated.front()].name))
      .note(op.origin.span, "return what is written, or nothing; or let another operator write");
}

Gradient Gradients::decide(const Draft& draft) {
  const Operator& op = *draft.op;
  auto found = entries_.find(&op);
  const DerivativeEntry* entry = found == entries_.end() ? nullptr : &found->second;
  if (entry && op.forms->form == Form::manual && returns_another_tensor(op)) {
    refuse_result_beside(op, *entry);
    return {};
  }
  if (entry && says_not_implemented(*entry)) return refuse_backward(op, *entry);
  if (entry) return use_formulas(op, entry);
  if (!has_gradient(draft)) return {};
  const bool fold = op.elements->fold != nullptr && op.forms->form == Form::functional;
  if (op.is_expr() || fold) return use_formulas(op, nullptr);
  // The functional form decides for them.
  if (op.forms->form == Form::inplace || op.forms->form == Form::out) return {};
  if (op.is_differentiated_through()) return {Differentiability::through};
  if (!op.computation->targets.empty() && !draft.entry->damaged) {
    sink_
        .error(Code::no_gradient_statement, op.schema.name_span,
               fmt::format("'{}' does not say how it is differentiated", op.name.full))
        .note({}, gradient_statement(op));
  }
  return {};
}

// An in-place or out form that says nothing itself has the gradient of the functional form.
Gradient Gradients::derive_form(const Operator& form) const {
  const auto own = decided_.find(&form);
  const bool says =
      own != decided_.end() && own->second.differentiability != Differentiability::none;
  const auto functional = decided_.find(form.forms->functional);
  if (says || functional == decided_.end()) return says ? own->second : Gradient();
  return functional->second;
}

// What cannot be derived is a matter of that library, which has said so.
Gradient Gradients::decide_imported(const Draft& draft) {
  const Operator& op = *draft.op;
  if (!op.is_expr() || op.forms->form != Form::functional || !has_gradient(draft)) return {};
  if (const auto found = entries_.find(&op); found != entries_.end())
    return says_not_implemented(found->second) ? Gradient() : use_formulas(op, &found->second);
  return derived_.derive_all(op).value_or(Gradient());
}

// Of all arguments or of none: the node of a call either runs or refuses to.
bool Gradients::says_not_implemented(const DerivativeEntry& entry) {
  const auto says = [](const DerivativeEntry::Line& line) {
    return line.formula.text == "not_implemented";
  };
  const auto found = std::ranges::find_if(entry.lines, says);
  if (found == entry.lines.end()) return false;
  const auto other = std::ranges::find_if_not(entry.lines, says);
  if (other == entry.lines.end()) return true;
  sink_
      .error(
          Code::derivative_conflict, found->formula.whole(),
          fmt::format("'not_implemented' is said of all arguments of '{}' or of none: a backward "
                      "pass through a call either runs or is an error",
                      entry.name.text))
      .note(other->formula.whole(), "this one has a gradient");
  return true;
}

Gradient Gradients::refuse_backward(const Operator& op, const DerivativeEntry& entry) {
  Derivative named;
  bool fine = !entry.damaged;
  for (const DerivativeEntry::Line& line : entry.lines) {
    DerivativeFormula formula;
    fine = add_inputs(op, line, named, formula) && fine;
    named.formulas.push_back(std::move(formula));
  }
  if (fine && !op.is_expr()) complete_inputs(op, &entry, named);
  return {Differentiability::not_implemented};
}

}  // namespace opweave::codegen
