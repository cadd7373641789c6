// What generated backward nodes and forward rules are made of.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <algorithm>

#include "backward_node.h"

namespace opweave {

inline c10::SymInt size_at(const c10::SymDimVector& sizes, int64_t dim) {
  return sizes[dim < 0 ? dim + static_cast<int64_t>(sizes.size()) : dim];
}
// Strides are kept as numbers.
inline int64_t size_at(const std::vector<int64_t>& strides, int64_t dim) {
  return strides[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(strides.size()) : dim)];
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

// The size of each tensor along a dimension. An empty vector, which `cat` takes among others of
// more dimensions, has no such size: -1.
inline c10::SymDimVector sizes_along(TensorList tensors, int64_t dim) {
  c10::SymDimVector sizes;
  for (const Tensor& tensor : tensors) {
    const bool skipped = tensor.dim() == 1 && tensor.sym_numel() == 0;
    sizes.push_back(skipped ? c10::SymInt(-1) : tensor.sym_size(dim));
  }
  return sizes;
}

// An argument as a node keeps it: lists by value.
template <class T>
const T& kept(const T& value) {
  return value;
}
template <class T>
std::vector<T> kept(at::ArrayRef<T> list) {
  return list.vec();
}
inline std::optional<std::vector<int64_t>> kept(at::OptionalIntArrayRef list) {
  return list.has_value() ? std::optional(list->vec()) : std::nullopt;
}
template <class T>
std::optional<std::vector<T>> kept(const std::optional<at::ArrayRef<T>>& list) {
  return list ? std::optional(list->vec()) : std::nullopt;
}

inline std::vector<SavedVariable> kept_list(TensorList tensors) {
  std::vector<SavedVariable> kept;
  for (const Tensor& tensor : tensors) kept.emplace_back(tensor, /*is_output=*/false);
  return kept;
}

inline void release(SavedVariable& kept) { kept.reset_data(); }
inline void release(std::vector<SavedVariable>& kept) {
  for (SavedVariable& one : kept) one.reset_data();
}

inline std::vector<Tensor> unpacked(const std::vector<SavedVariable>& kept) {
  std::vector<Tensor> tensors;
  for (const SavedVariable& one : kept) tensors.push_back(one.unpack());
  return tensors;
}

// The gradients of a list, from an edge on.
inline void store_gradients(variable_list& inputs, size_t at, size_t count, TensorList gradients) {
  TORCH_CHECK(gradients.size() == count, "a formula gives ", gradients.size(),
              " gradients for a list of ", count, " tensors");
  std::ranges::copy(gradients, inputs.begin() + static_cast<int64_t>(at));
}

// Zeros as those of them that are asked for: the others may have no edge that knows their shape.
inline void store_zeros(variable_list& inputs, size_t at, size_t count, const BackwardPass& pass) {
  for (size_t i = at; i < at + count; ++i) {
    if (pass.wants(i)) inputs[i] = pass.zeros_for(i);
  }
}

// Whether gradients flow to a tensor of a list.
inline bool has_edges(const torch::autograd::Node& node, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    if (node.should_compute_output(i)) return true;
  }
  return false;
}

// What was kept as the operator was given it.
template <class T>
const T& as_given(const T& value) {
  return value;
}
inline at::OptionalIntArrayRef as_given(const std::optional<std::vector<int64_t>>& list) {
  return list ? at::OptionalIntArrayRef(*list) : std::nullopt;
}
inline std::optional<at::ArrayRef<double>> as_given(
    const std::optional<std::vector<double>>& list) {
  return list ? std::optional<at::ArrayRef<double>>(*list) : std::nullopt;
}

// Who saved a tensor before sees by its version that it was written.
inline void count_write(const Tensor& tensor) {
  if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
}

// An operator without a derivative writes nothing that somebody asks for gradients of.
inline void check_written(const char* op, const char* argument, const Tensor& tensor) {
  TORCH_CHECK(!(at::GradMode::is_enabled() && tensor.requires_grad()), op, "(): argument '",
              argument, "' requires gradients, and is written by an operator that has none");
}

// An argument that results depend on, and that has no gradient.
inline void check_not_differentiated(const char* op, const char* argument, const Tensor& tensor) {
  const bool recorded = tensor.defined() && at::GradMode::is_enabled() && tensor.requires_grad();
  TORCH_CHECK(!recorded && !torch::autograd::isFwGradDefined(tensor), "The function '", op,
              "' is not differentiable with respect to argument '", argument,
              "'. This input cannot have ", recorded ? "requires_grad True." : "a tangent.");
}

inline Tensor tangent_or_zeros(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;  // of a call without it
  const Tensor& tangent = tensor._fw_grad(/*level=*/0);
  return tangent.defined() ? tangent : at::zeros_like(tensor);
}

inline std::vector<Tensor> tangent_or_zeros(TensorList tensors) {
  std::vector<Tensor> tangents;
  for (const Tensor& tensor : tensors) tangents.push_back(tangent_or_zeros(tensor));
  return tangents;
}

// Without its tangent: what formulas of tangents read is the same at every level.
inline Tensor primal_of(const Tensor& tensor) {
  if (!tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  return tensor._fw_primal(/*level=*/0);
}
inline std::vector<Tensor> primal_of(TensorList tensors) {
  std::vector<Tensor> primals;
  for (const Tensor& tensor : tensors) primals.push_back(primal_of(tensor));
  return primals;
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
