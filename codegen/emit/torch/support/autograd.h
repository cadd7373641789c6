// What generated backward nodes and forward rules are made of.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include <algorithm>
#include <mutex>

#include "operators.h"

namespace opweave {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Recent PyTorch counts nodes itself, older ones have std::shared_ptr do it.
template <class Node>
auto make_node() {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>)
    return c10::make_intrusive<Node>();
  else
    return std::shared_ptr<Node>(new Node(), [](auto* node) { deleteNode(node); });
}
template <class Node>
using NodePtr = decltype(make_node<Node>());

// What a node's own saved results ask for, so that a node does not hold itself.
template <class Node>
NodePtr<Node> self_reference(Node& node) {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>)
    return NodePtr<Node>::unsafe_reclaim_from_nonowning(&node);
  else
    return std::static_pointer_cast<Node>(node.shared_from_this());
}

// Of a gradient that is zero everywhere: an undefined one would say that there is none.
inline Tensor zeros_for(const torch::autograd::Node& node, size_t input) {
  const torch::autograd::Edge& edge = node.next_edge(input);
  return edge.function->input_metadata(edge.input_nr).zeros_like();
}

inline bool any_defined(const variable_list& gradients) {
  return std::ranges::any_of(gradients, [](const Tensor& gradient) { return gradient.defined(); });
}

// Of a result whose gradient nobody has: zeros, which are not written anywhere.
inline Tensor gradient_or_zeros(const torch::autograd::Node& node, const variable_list& gradients,
                                size_t result) {
  const Tensor& gradient = gradients[result];
  return gradient.defined() ? gradient : node.input_metadata(result).zeros_like();
}

inline c10::SymInt size_at(const c10::SymDimVector& sizes, int64_t dim) {
  return sizes[dim < 0 ? dim + static_cast<int64_t>(sizes.size()) : dim];
}
inline c10::SymInt numel_of(const c10::SymDimVector& sizes) {
  c10::SymInt count = 1;
  for (const c10::SymInt& size : sizes) count *= size;
  return count;
}

// The sizes that a tensor had, also where only a trace knows them.
inline c10::SymDimVector sizes_of(const Tensor& tensor) {
  const auto sizes = tensor.sym_sizes();
  return {sizes.begin(), sizes.end()};
}

inline Tensor tangent_or_zeros(const Tensor& tensor) {
  const Tensor& tangent = tensor._fw_grad(/*level=*/0);
  return tangent.defined() ? tangent : at::zeros_like(tensor);
}

// Without its tangent: what formulas of tangents read is the same at every level.
inline Tensor primal_of(const Tensor& tensor) {
  if (!tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  return tensor._fw_primal(/*level=*/0);
}

// One term more of a tangent, of which undefined ones are zero.
inline void add_term(Tensor& sum, Tensor term) {
  sum = sum.defined() ? at::add(sum, term) : std::move(term);
}

// Tangents have the dtype and sizes of what they belong to, as gradients do.
inline void attach_tangent(const Tensor& result, Tensor tangent) {
  if (!tangent.defined()) return;
  if (tangent.scalar_type() != result.scalar_type()) tangent = tangent.to(result.scalar_type());
  if (tangent.sym_sizes() != result.sym_sizes())
    tangent = tangent.expand_symint(result.sym_sizes());
  result._set_fw_grad(tangent, /*level=*/0, /*is_inplace_op=*/false);
}

}  // namespace opweave
