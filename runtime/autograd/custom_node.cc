// CustomNode: histories of the results of user-written functions.
#include "runtime/autograd/custom_node.h"

#include <algorithm>
#include <atomic>

#include "runtime/autograd/api.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/view.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

bool contains(TensorList list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& x) { return x.is_same(t); });
}

bool broadcasts(IntList from, IntList to) {
  if (from.size() > to.size()) return false;
  const IntList tail = to.last(from.size());
  return std::equal(from.begin(), from.end(), tail.begin(),
                    [](int64_t a, int64_t b) { return a == 1 || a == b; });
}

std::atomic<DifferentiatesForwards> differentiates_forwards{nullptr};

}  // namespace

void set_differentiates_forwards(DifferentiatesForwards ask) { differentiates_forwards.store(ask); }

void fit_examples(const Node& node, size_t dims, TensorVec& gradients) {
  for (size_t i = 0; i < gradients.size() && i < node.next_edges().size(); ++i) {
    const Edge& edge = node.next_edge(i);
    if (!edge || !gradients[i].defined()) continue;
    const GradMetadata& input = edge.function->input_metadata(edge.input_nr);
    if (!input.defined()) continue;
    const IntList sizes = input.sizes().subspan(dims);
    if (same_sizes(gradients[i].sizes(), sizes)) continue;
    OW_CHECK(broadcasts(sizes, gradients[i].sizes()), "Function ", node.name(),
             " returned an invalid gradient at index ", i, " - got ", gradients[i].sizes(),
             " but expected shape compatible with ", sizes);
    gradients[i] = engine_ops::sum_to_size(gradients[i], sizes);
  }
}

std::vector<Tensor> CustomNode::saved_tensors() {
  if (released_) fail_released(name());
  std::vector<Tensor> tensors;
  tensors.reserve(saved_.size());
  for (const SavedTensor& saved : saved_) {
    tensors.push_back(one_of(examples_, saved.unpack_with_history(this)));
  }
  return tensors;
}

bool CustomNode::begin_forward(TensorList inputs) {
  examples_ = examples_of(inputs);
  const DifferentiatesForwards ask = differentiates_forwards.load();
  OW_CHECK_KIND(ErrorKind::kNotImplemented, ask == nullptr || !ask(inputs),
                "Trying to use forward AD with ", name(),
                ", whose function has a gradient of its own and says nothing of tangents. Use "
                "func.grad(), func.vjp() or func.jacrev() with it.");
  const bool record = grad_enabled() && std::ranges::any_of(inputs, [](const Tensor& t) {
                        return t.defined() && recorded(t).requires_grad();
                      });
  for (const Tensor& t : inputs) {
    add_next_edge(record ? gradient_edge(all_of(examples_, t)) : Edge());
  }
  return record;
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
  results_.clear();
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
    note_without_gradient(*this, examples_, result);
    return is_input && !dirty ? detached(result) : result;
  }
  check_covered(examples_, result, name());
  OW_CHECK(!dirty || all_of(examples_, result).is_same(recorded(result)), "vmap: ", name(),
           ": mark_dirty() got a tensor of shape ", result.sizes(),
           " that is the same for examples between which other arguments differ");
  const Tensor all = with_history(all_of(examples_, result), is_input, dirty, count);
  if (examples_) results_.emplace_back(result, all);
  return example_again(examples_, all, result);
}

Tensor CustomNode::with_history(const Tensor& all, bool is_input, bool dirty, size_t count) {
  if (dirty) {
    write_history(all, is_input, count);
    return all;
  }
  Tensor result = all;
  if (is_input) {  // the input keeps its own history
    result = detached(all);
    as_view(all, result, CreationMeta::kCustomFunction);
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
  const auto recorded_form = [this](const Tensor& given) {
    for (const auto& [one, all] : results_) {
      if (given.is_same(one)) return all;
    }
    return all_of(examples_, given);
  };
  for (const Tensor& given : marks_.to_save) {
    const Tensor t = recorded_form(given);
    const bool is_output = t.defined() && t.impl()->grad_fn_slot().get() == this;
    saved_.emplace_back(t, is_output);
  }
}

TensorVec CustomNode::run_backward(TensorVec&& grads, const Examples::Function& backward) const {
  materialize(grads);
  if (!examples_) return backward(std::move(grads));
  return examples_->run(std::move(grads), [&](TensorVec&& one) {
    TensorVec gradients = backward(std::move(one));
    fit_examples(*this, examples_->dims(), gradients);
    return gradients;
  });
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
