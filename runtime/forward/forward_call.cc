// Calls with tangents: the rules, and attaching what they compute.
#include "runtime/forward/forward_call.h"

#include <algorithm>

#include "opweave/ops/add.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/to.h"
#include "opweave/ops/zero_.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/dispatch/registry.h"
#include "runtime/forward/layout.h"

namespace opweave {
namespace {

bool is_one_of(std::span<const int> list, size_t i) {
  return std::find(list.begin(), list.end(), static_cast<int>(i)) != list.end();
}

const OperatorEntry& functional_of(const OperatorEntry& op, const ForwardRuleDef& def) {
  return def.by_functional ? *op.record().functional : op;
}

Tensor zeros_or(const Tensor& tangent, const Tensor& primal) {
  return tangent.defined() || !primal.defined() ? tangent : opweave::zeros_like(primal);
}

// Whether autograd knows the tensor, its values or its tangents of the levels below `level`.
bool is_recorded(const Tensor& t, int32_t level) {
  if (!t.defined()) return false;
  if (t.requires_grad()) return true;
  if (is_batched(t) && is_recorded(batched_value(t).value, level)) return true;
  adopt_late_tangents(t);
  for (int32_t outer = level - 1; outer > 0; --outer) {
    const Tangent* tangent = find_tangent(t, outer);
    if (tangent != nullptr && is_recorded(tangent->value, outer)) return true;
  }
  return false;
}

bool is_recorded(const Stack& values, int32_t level) {
  return std::ranges::any_of(values, [&](const IValue& v) {
    if (v.is_tensor()) return is_recorded(v.to_tensor(), level);
    return v.is_tensor_list() && std::ranges::any_of(v.to_tensor_list(), [&](const Tensor& t) {
             return is_recorded(t, level);
           });
  });
}

}  // namespace

ForwardCall::ForwardCall(const OperatorEntry& op, const ForwardRuleDef& def, Stack& stack,
                         int32_t level)
    : op_(op),
      def_(def),
      at_(op.record().written()),
      stack_(stack),
      level_(level),
      tangents_(stack.size()) {}

void ForwardCall::run() {
  OW_CHECK(def_.rule != ForwardRule::kOut, plain_name(op_.full_name()),
           "(): functions with out=... arguments don't support automatic differentiation, but one "
           "of the arguments has a tangent of forward-mode differentiation.");
  arguments_ = stack_;
  compute();
  // Views of what has a tangent now and had none before do not have the dispatch key.
  if (late_) thread_state().included = thread_state().included | forward_key();
}

void ForwardCall::compute() {
  refuse_inputs();
  const ForwardLimitGuard below(level_ - 1);
  collect();
  if (def_.rule == ForwardRule::kLost) {
    refuse_lost();
    return op_.call(stack_);
  }
  if (at_ >= 0) keep_overwritten();
  if (at_ >= 0 && grad_enabled()) keep_overwritten_tangent();
  op_.call(stack_);
  // Tangents of arguments that the results do not depend on, such as indices.
  if (level_ptr_ == nullptr) return;
  results_ = stack_;
  sums_.resize(std::max<size_t>(results_.size(), 1));
  if (def_.rule == ForwardRule::kFormula) def_.formula(*this);
  if (def_.rule == ForwardRule::kLinear) run_linear();
  if (by_gradients()) run_gradients();
  attach_results();
}

void ForwardCall::refuse_inputs() {
  for (const int i : def_.refused) {
    const IValue& v = arguments_[static_cast<size_t>(i)];
    OW_CHECK(!v.is_tensor() || !v.to_tensor().defined() || tangent_level(v.to_tensor()) == 0,
             "The function '", op_.full_name(),
             "' is not differentiable with respect to argument '",
             op_.record().arguments[static_cast<size_t>(i)].name,
             "'. This input cannot have a tangent.");
  }
}

void ForwardCall::refuse_lost() {
  for (size_t i = 0; i < tangents_.size(); ++i) {
    if (tangents_[i].is_none() || !op_.record().arguments[i].type.written) continue;
    OW_THROW(ErrorKind::kNotImplemented, "the derivative for '", op_.full_name(),
             "' is not implemented.");
  }
}

// The rule reads values from before the write, also of arguments that share memory with what is
// written.
void ForwardCall::keep_overwritten() {
  const auto at = static_cast<size_t>(at_);
  written_ = arguments_[at].to_tensor();
  for (size_t i = 0; i < arguments_.size(); ++i) {
    IValue& v = arguments_[i];
    if (!v.is_tensor() || !v.to_tensor().defined()) continue;
    const bool read = i != at || def_.reads_written || by_gradients();
    if (read && v.to_tensor().storage() == written_.storage()) v = opweave::clone(v.to_tensor());
  }
}

// The tangent is written as well, after the rule has read it: what a backward pass needs of it has
// to be a copy.
void ForwardCall::keep_overwritten_tangent() {
  if (def_.rule != ForwardRule::kFormula && !by_gradients()) return;
  IValue& tangent = tangents_[static_cast<size_t>(at_)];
  if (!tangent.is_tensor()) return;
  if (is_recorded(arguments_, level_) || is_recorded(tangents_, level_))
    tangent = opweave::clone(tangent.to_tensor());
}

// --- the tangents of the arguments ---------------------------------------------------------------

const Tangent* ForwardCall::tangent_in(const Tensor& t) {
  if (!t.defined()) return nullptr;
  const Tangent* tangent = find_tangent(t, level_);
  if (tangent == nullptr) return nullptr;
  level_ptr_ = tangent->level;
  if (!def_.view) return tangent;
  lay_out_tangent(t, *tangent);
  return find_tangent(t, level_);
}

IValue ForwardCall::tangents_of(const IValue& argument) {
  if (argument.is_tensor()) {
    const Tangent* tangent = tangent_in(argument.to_tensor());
    return tangent != nullptr ? IValue(tangent->value) : IValue();
  }
  if (!argument.is_tensor_list()) return {};
  bool any = false;
  std::vector<Tensor> list;
  for (const Tensor& t : argument.to_tensor_list()) {
    const Tangent* tangent = tangent_in(t);
    any |= tangent != nullptr;
    list.push_back(tangent != nullptr ? tangent->value : Tensor());
  }
  return any ? IValue(std::move(list)) : IValue();
}

void ForwardCall::collect() {
  for (int i : def_.inputs) {
    tangents_[static_cast<size_t>(i)] = tangents_of(arguments_[static_cast<size_t>(i)]);
  }
  // What is overwritten loses its tangent, also when nothing else has one.
  if (at_ >= 0 && level_ptr_ == nullptr) {
    tangent_in(written_);
  }
}

Tensor ForwardCall::tangent(size_t i) const {
  const Tensor none;
  return zeros_or(has(i) ? tangents_[i].to_tensor() : none, arguments_[i].to_tensor());
}

std::vector<Tensor> ForwardCall::tangent_list(size_t i) const {
  const std::vector<Tensor>& primals = arguments_[i].to_tensor_list();
  std::vector<Tensor> list;
  for (size_t k = 0; k < primals.size(); ++k) {
    list.push_back(zeros_or(has(i) ? tangents_[i].to_tensor_list()[k] : Tensor(), primals[k]));
  }
  return list;
}

// --- the tangents of the results -----------------------------------------------------------------

void ForwardCall::add(size_t output, const Tensor& term) {
  if (!term.defined()) return;
  IValue& sum = sums_[output];
  sum = sum.is_none() ? term : opweave::add(sum.to_tensor(), term);
}

void ForwardCall::add(size_t output, const std::vector<Tensor>& terms) {
  IValue& sum = sums_[output];
  if (sum.is_none()) {
    sum = terms;
    return;
  }
  std::vector<Tensor> both = sum.to_tensor_list();
  for (size_t k = 0; k < both.size(); ++k) both[k] = opweave::add(both[k], terms[k]);
  sum = std::move(both);
}

void ForwardCall::run_linear() {
  Stack stack = arguments_;
  for (int i : def_.inputs) {
    const auto at = static_cast<size_t>(i);
    if (stack[at].is_tensor_list()) {
      stack[at] = tangent_list(at);
    } else if (stack[at].is_tensor()) {
      stack[at] = tangent(at);
    }
  }
  functional_of(op_, def_).call(stack);
  sums_ = std::move(stack);
}

bool ForwardCall::by_gradients() const {
  return def_.rule == ForwardRule::kReverse || def_.rule == ForwardRule::kElements;
}

void ForwardCall::run_gradients() {
  const OperatorEntry& op = functional_of(op_, def_);
  sums_ = def_.rule == ForwardRule::kElements
              ? element_tangents(op, arguments_, tangents_, results_[0].to_tensor().sizes())
              : reverse_tangents(op, arguments_, tangents_);
}

// --- attaching ----------------------------------------------------------------------------------

// In the shape and dtype of the result.
Tensor ForwardCall::fitted(Tensor tangent, const Tensor& result) const {
  if (tangent.dtype() != result.dtype()) tangent = opweave::to(tangent, result.dtype());
  if (!std::ranges::equal(tangent.sizes(), result.sizes())) {
    return opweave::clone(opweave::expand(tangent, result.sizes()));
  }
  return tangent;
}

// With the tangent of an argument: a write to one of both tensors must not be one to the other.
bool ForwardCall::shares_memory(const Tensor& tangent) const {
  const auto same = [&](const Tensor& t) {
    return t.defined() && t.storage() == tangent.storage();
  };
  return std::ranges::any_of(tangents_, [&](const IValue& v) {
    if (v.is_tensor()) return same(v.to_tensor());
    return v.is_tensor_list() && std::ranges::any_of(v.to_tensor_list(), same);
  });
}

void ForwardCall::attach_to(const Tensor& result, Tensor tangent) {
  if (!tangent.defined() || !result.defined() || !result.is_differentiable()) return;
  tangent = fitted(std::move(tangent), result);
  if (!def_.view && shares_memory(tangent)) tangent = opweave::clone(tangent);
  attach_tangent(result, level_ptr_, std::move(tangent), late_);
}

void ForwardCall::attach_results() {
  if (at_ >= 0) {
    write_to(written_, sums_.empty() || sums_[0].is_none() ? Tensor() : sums_[0].to_tensor());
    return;
  }
  for (size_t k = 0; k < results_.size(); ++k) {
    if (!is_one_of(def_.outputs, k) || sums_[k].is_none()) continue;
    if (results_[k].is_tensor()) {
      attach_to(results_[k].to_tensor(), sums_[k].to_tensor());
      continue;
    }
    const std::vector<Tensor>& list = results_[k].to_tensor_list();
    for (size_t j = 0; j < list.size(); ++j) attach_to(list[j], sums_[k].to_tensor_list()[j]);
  }
}

// --- what is written in place -------------------------------------------------------------------

void ForwardCall::write_to(const Tensor& written, Tensor tangent) {
  if (!written.is_differentiable()) return;
  const Tangent* old = find_tangent(written, level_);
  Tensor value = old != nullptr ? old->value : Tensor();
  if (!tangent.defined()) {
    if (old != nullptr) opweave::zero_(value);
    return;
  }
  if (def_.view) return attach_tangent(written, level_ptr_, std::move(tangent));
  if (old != nullptr) {
    // Views of what is written have views of its tangent: that is written, too.
    if (!value.is_same(tangent)) opweave::copy_(value, tangent);
  } else if (written.is_view()) {
    write_to_view(written, tangent);
  } else {
    late_ = true;
    attach_to(written, std::move(tangent));
  }
}

// The base of the view gets a tangent as well: zeros, where the view is not.
void ForwardCall::write_to_view(const Tensor& view, const Tensor& tangent) {
  const Tensor base{intrusive_ptr<TensorImpl>(view.impl()->view_base())};
  if (const Tangent* known = find_tangent(base, level_)) {
    lay_out_tangent(base, *known);
  } else {
    late_ = true;
    attach_tangent(base, level_ptr_, zeros_laid_out(base, tangent), late_);
  }
  Tensor part = part_for_view(find_tangent(base, level_)->value, view);
  opweave::copy_(part, tangent);
  attach_tangent(view, level_ptr_, std::move(part));
}

}  // namespace opweave
