// Making tensors with tangents.
#include "runtime/forward/dual.h"

#include <unordered_set>

#include "opweave/ops/clone.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/view_as.h"
#include "runtime/autograd/accumulate_grad.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/view.h"
#include "runtime/batching/batched_call.h"
#include "runtime/forward/layout.h"

namespace opweave {

void check_alike(const Tensor& primal, const Tensor& tangent) {
  OW_CHECK_VALUE(primal.is_differentiable(),
                 "Expected tensor to be of floating-point dtype to have a tangent, got ",
                 primal.dtype());
  OW_CHECK(same_sizes(primal.sizes(), tangent.sizes()),
           "Trying to set a forward gradient that has a different size than that of the original "
           "Tensor, this is not supported. Tensor is of size ",
           primal.sizes(), " while the given forward gradient is of size ", tangent.sizes(), ".");
  OW_CHECK(primal.dtype() == tangent.dtype() && primal.device() == tangent.device(),
           "Expected a tensor and its tangent to have the same dtype and device, got ",
           primal.dtype(), " on ", primal.device(), " and ", tangent.dtype(), " on ",
           tangent.device());
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent, const TangentLevelPtr& level) {
  check_alike(primal, tangent);
  Tensor dual = opweave::view_as(primal, primal);
  // As the dual is one of the primal: in-place operators change the values of both, not their
  // shapes.
  const Tensor value = laid_out(tangent, primal);
  attach_tangent(dual, level, opweave::view_as(value, value));
  return dual;
}

Tensor tangent_of(const Tensor& t, int32_t level) {
  if (is_batched(t)) {
    AllExamples all = all_examples(t);
    all.tensor = tangent_of(all.tensor, level);
    return all.tensor.defined() ? batched_again(all) : Tensor();
  }
  adopt_late_tangents(t);
  const Tangent* tangent = find_tangent(t, level);
  return tangent != nullptr ? tangent->value : Tensor();
}

int32_t adopted_tangent_level(const Tensor& t) {
  adopt_late_tangents(t);
  return tangent_level(t);
}

Tensor with_tangent(const Tensor& t, const Tensor& tangent, const TangentLevelPtr& level) {
  check_alike(t, tangent);
  const ExamplesPtr examples = examples_of({t, tangent});
  Tensor all = all_of(examples, t);
  // What is the same for several examples lies in memory for each of them: their tangents differ.
  if (!all.is_same(recorded(t))) all = opweave::clone(all, MemoryFormat::kContiguous);
  attach_tangent(all, level, all_of(examples, tangent));
  return example_again(examples, all, t);
}

namespace {

// The same tensor below autograd, with what `f` makes of each tangent that operators see.
template <class F>
Tensor detached_with(const Tensor& t, F f) {
  adopt_late_tangents(t);
  Tensor result = opweave::detach(t);
  for (int32_t level = tangent_level(t); level > 0; --level) {
    if (const Tangent* tangent = find_tangent(t, level)) {
      attach_tangent(result, tangent->level, f(tangent->value));
    }
  }
  return result;
}

// Whether a program may ask for the gradient of the leaf.
bool is_somebodys(const Tensor& leaf) {
  const AutogradMeta* meta = find_autograd_meta(leaf);
  return meta == nullptr || !meta->of_transform;
}

class Release {
 public:
  Tensor operator()(const Tensor& t) {
    if (is_batched(t)) {
      const BatchedValue& batch = batched_value(t);
      return make_batched((*this)(batch.value), batch.level);
    }
    if (t.requires_grad() && reaches_others(gradient_edge(t).function.get())) return t;
    return detached_with(t, [&](const Tensor& tangent) { return (*this)(tangent); });
  }

 private:
  // Whether backward() from the node would reach a leaf of somebody's.
  bool reaches_others(Node* start) {
    std::vector<Node*> to_visit{start};
    std::unordered_set<Node*> seen{start};
    while (!to_visit.empty()) {
      Node* node = to_visit.back();
      to_visit.pop_back();
      if (clean_.contains(node)) continue;
      const auto* leaf = dynamic_cast<const AccumulateGrad*>(node);
      if (leaf != nullptr && is_somebodys(leaf->leaf())) return true;
      for (const Edge& edge : node->next_edges()) {
        Node* next = edge.function.get();
        if (next != nullptr && seen.insert(next).second) to_visit.push_back(next);
      }
    }
    clean_.merge(seen);
    return false;
  }

  std::unordered_set<Node*> clean_;  // that reach no others: results share most of their history
};

}  // namespace

std::vector<Tensor> released(TensorList tensors) {
  Release release;
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(release(t));
  return results;
}

Tensor transform_leaf(Tensor t) {
  set_requires_grad(t, true);
  autograd_meta(t).of_transform = true;
  return t;
}

Tensor transform_input(const Tensor& t) {
  if (!t.requires_grad()) return transform_leaf(detached_with_tangents(t));
  const GradModeGuard recording(true);
  const Tensor input = opweave::view_as(t, t);
  input.impl()->set_view_base({}, CreationMeta::kDefault);
  autograd_meta(input).of_transform = true;
  return input;
}

Tensor detached_with_tangents(const Tensor& t) {
  Tensor result = detached_with(t, [](const Tensor& tangent) { return tangent; });
  if (result.is_inference()) result.impl()->set_inference(false);
  return result;
}

}  // namespace opweave
