// Tangents of operators that have gradients and no forward rule.
#include <algorithm>

#include "opweave/ops/add.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/to.h"
#include "opweave/ops/view_as.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/autograd/api.h"
#include "runtime/forward/dual.h"
#include "runtime/forward/forward_call.h"

namespace opweave {
namespace {

// Tensors of a stack, lists included, in order.
std::vector<Tensor*> tensors_in(IValue& v) {
  std::vector<Tensor*> found;
  if (v.is_tensor()) found.push_back(&v.to_tensor());
  if (auto* list = std::get_if<std::vector<Tensor>>(&v.value())) {
    for (Tensor& t : *list) found.push_back(&t);
  }
  return found;
}

bool any_requires_grad(const Stack& values) {
  const auto requires_grad = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  return std::ranges::any_of(values, [&](const IValue& v) {
    if (v.is_tensor()) return requires_grad(v.to_tensor());
    return v.is_tensor_list() && std::ranges::any_of(v.to_tensor_list(), requires_grad);
  });
}

// Whether a caller can ask for a gradient of the tangents: what the passes record of leaves of
// their own is nothing to anybody else.
bool is_recorded(const Stack& arguments, const Stack& tangents) {
  return grad_enabled() && (any_requires_grad(arguments) || any_requires_grad(tangents));
}

// Something to differentiate by that has the history of `t`.
Tensor input_for(const Tensor& t) {
  if (t.requires_grad()) return opweave::view_as(t, t);
  return transform_leaf(detached_with_tangents(t));
}

struct Directions {
  std::vector<Tensor> inputs, tangents;
};

// Replaces the tensors that have tangents by ones that are differentiated by.
Directions replace_inputs(Stack& arguments, Stack tangents) {
  Directions directions;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (tangents[i].is_none()) continue;
    const std::vector<Tensor*> given = tensors_in(arguments[i]), along = tensors_in(tangents[i]);
    for (size_t k = 0; k < given.size(); ++k) {
      if (!along[k]->defined()) continue;
      *given[k] = input_for(*given[k]);
      directions.inputs.push_back(*given[k]);
      directions.tangents.push_back(*along[k]);
    }
  }
  return directions;
}

// Calls the operator. One that only writes its argument gets a copy to write: the gradient goes on
// to what it is differentiated by, which is a leaf or the caller's memory.
void call_on_copies(const OperatorEntry& op, Stack& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!op.record().arguments[i].type.written) continue;
    for (Tensor* t : tensors_in(arguments[i])) {
      if (t->defined()) *t = opweave::clone(*t);
    }
  }
  op.call(arguments);
}

// Gradients that depend on the seeds at all.
std::vector<Tensor> linear_only(const std::vector<Tensor>& values, std::vector<Tensor>& beside) {
  std::vector<Tensor> kept, kept_beside;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined() || !values[i].requires_grad()) continue;
    kept.push_back(values[i]);
    kept_beside.push_back(beside[i]);
  }
  beside = std::move(kept_beside);
  return kept;
}

GradOptions options(bool create_graph) {
  GradOptions made;
  made.create_graph = create_graph;
  made.allow_unused = true;
  return made;
}

}  // namespace

Stack reverse_tangents(const OperatorEntry& op, Stack arguments, const Stack& tangents) {
  const bool recorded = is_recorded(arguments, tangents);
  const GradModeGuard recording(true);
  Directions along = replace_inputs(arguments, tangents);
  call_on_copies(op, arguments);
  std::vector<Tensor> outputs, seeds;
  std::vector<Tensor*> places;
  for (IValue& result : arguments) {
    for (Tensor* t : tensors_in(result)) {
      places.push_back(t);
      if (!t->defined() || !t->requires_grad()) continue;
      outputs.push_back(*t);
      seeds.push_back(transform_leaf(opweave::zeros_like(*t)));
    }
  }
  std::vector<Tensor> pushed(outputs.size());
  if (!outputs.empty()) {
    std::vector<Tensor> directions = along.tangents;
    const std::vector<Tensor> grads =
        linear_only(gradients(outputs, along.inputs, seeds, options(true)), directions);
    if (!grads.empty()) {
      pushed = gradients(grads, seeds, directions, options(recorded));
    }
  }
  size_t next = 0;
  for (Tensor* t : places) {
    const bool differentiable = t->defined() && t->requires_grad();
    *t = differentiable ? pushed[next++] : Tensor();
  }
  return arguments;
}

namespace {

// Whether one that is expanded would be promoted otherwise: a number beside tensors of other
// dtypes.
bool weighs_less(const Stack& arguments, const Tensor& t, IntList sizes) {
  return t.dim() == 0 && !sizes.empty() && std::ranges::any_of(arguments, [&](const IValue& v) {
           return v.is_tensor() && v.to_tensor().defined() && v.to_tensor().dtype() != t.dtype();
         });
}

// What argument i adds; undefined where the result does not depend on it.
Tensor element_tangent(const OperatorEntry& op, Stack arguments, size_t i, const Tensor& tangent,
                       IntList sizes, const GradOptions& how) {
  const Tensor& given = arguments[i].to_tensor();
  const Tensor input =
      input_for(same_sizes(given.sizes(), sizes) ? given : Tensor(opweave::expand(given, sizes)));
  arguments[i] = input;
  call_on_copies(op, arguments);
  const Tensor& output = arguments[0].to_tensor();
  if (!output.defined() || !output.requires_grad()) return {};
  const Tensor seed = opweave::to(opweave::expand(tangent, sizes), output.dtype());
  const Tensor term = gradients({output}, {input}, {seed}, how)[0];
  return term.defined() ? opweave::to(term, output.dtype()) : term;
}

}  // namespace

Stack element_tangents(const OperatorEntry& op, const Stack& arguments, const Stack& tangents,
                       IntList sizes) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!tangents[i].is_none() && weighs_less(arguments, arguments[i].to_tensor(), sizes))
      return reverse_tangents(op, arguments, tangents);
  }
  const bool recorded = is_recorded(arguments, tangents);
  const GradModeGuard recording(true);
  Tensor sum;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (tangents[i].is_none()) continue;
    const Tensor term = element_tangent(op, arguments, i, tangents[i].to_tensor(), sizes,
                                        options(/*create_graph=*/recorded));
    if (term.defined()) sum = sum.defined() ? opweave::add(sum, term) : term;
  }
  return {IValue(std::move(sum))};
}

}  // namespace opweave
