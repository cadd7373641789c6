// CustomNode: histories of the results of user-written functions.
#include "runtime/autograd/custom_node.h"

#include <algorithm>

#include "runtime/autograd/api.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/view.h"
#include "runtime/core/error.h"

namespace opweave {
namespace {

bool contains(TensorList list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& x) { return x.is_same(t); });
}

}  // namespace

std::vector<Tensor> CustomNode::saved_tensors() {
  if (released_) fail_released(name());
  std::vector<Tensor> tensors;
  tensors.reserve(saved_.size());
  for (const SavedTensor& saved : saved_) tensors.push_back(saved.unpack_with_history(this));
  return tensors;
}

void CustomNode::release_saved() {
  released_ = released_ || !saved_.empty();
  saved_.clear();
}

std::vector<Tensor> CustomNode::finish_forward(std::vector<Tensor> results, TensorList inputs,
                                               bool record) {
  for (const Tensor& dirty : marks_.dirty) {
    OW_CHECK(contains(results, dirty), name(),
             ": a tensor given to mark_dirty() must also be returned by forward");
  }
  const auto count = static_cast<size_t>(
      std::count_if(results.begin(), results.end(), [](const Tensor& t) { return t.defined(); }));
  for (Tensor& result : results) result = finish_result(std::move(result), inputs, count, record);
  if (record) save();
  marks_.to_save.clear();
  marks_.dirty.clear();
  marks_.non_differentiable.clear();
  return results;
}

Tensor CustomNode::finish_result(Tensor result, TensorList inputs, size_t count, bool record) {
  if (!result.defined()) {
    add_undefined_input();
    return result;
  }
  const bool is_input = contains(inputs, result);
  const bool dirty = contains(marks_.dirty, result);
  const bool differentiable =
      record && result.is_differentiable() && !contains(marks_.non_differentiable, result);
  if (!differentiable) {
    add_undefined_input();
    return is_input && !dirty ? detached(result) : result;
  }
  if (dirty) {
    write_history(result, is_input, count);
    return result;
  }
  if (is_input) {  // the input keeps its own history
    const Tensor input = std::move(result);
    result = detached(input);
    as_view(input, result, CreationMeta::kCustomFunction);
  } else if (result.is_view()) {
    result.impl()->set_creation_meta(CreationMeta::kCustomFunction);
  }
  set_gradient_edge(result, {intrusive_ptr<Node>(this), add_input_metadata(result)});
  return result;
}

void CustomNode::write_history(const Tensor& result, bool is_input, size_t count) {
  OW_CHECK(is_input, name(), ": only inputs of forward may be given to mark_dirty()");
  check_inplace(result, /*record=*/true);
  if (!result.is_view()) {
    set_gradient_edge(result, {intrusive_ptr<Node>(this), add_input_metadata(result)});
    return;
  }
  OW_CHECK(count == 1,
           "If your Function modifies inplace an input that is a view of another Tensor, your "
           "Function cannot return more than one Tensor.");
  rebase_history(result, intrusive_ptr<Node>(this));
}

void CustomNode::save() {
  for (const Tensor& t : marks_.to_save) {
    const bool is_output = t.defined() && t.impl()->grad_fn_slot().get() == this;
    saved_.emplace_back(t, is_output);
  }
}

void CustomNode::materialize(TensorVec& grads) const {
  if (!marks_.materialize_grads) return;
  for (size_t i = 0; i < grads.size(); ++i) {
    const GradMetadata& wanted = input_metadata(i);
    if (grads[i].defined() || !wanted.defined()) continue;
    grads[i] = engine_ops::full(wanted.sizes(), 0, wanted.dtype(), wanted.device());
  }
}

}  // namespace opweave
