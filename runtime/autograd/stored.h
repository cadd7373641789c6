// How generated backward nodes keep and give back values that are not tensors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/autograd/record.h"
#include "runtime/autograd/tensor_vec.h"
#include "runtime/autograd/view.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// An optional list or string, kept by value, as the optional view that operators take.
template <class View, class T>
std::optional<View> optional_view(const std::optional<T>& stored) {
  if (!stored) return std::nullopt;
  return View(*stored);
}
// The reverse.
template <class T, class View>
std::optional<T> stored_optional(const std::optional<View>& view) {
  if (!view) return std::nullopt;
  return T(view->begin(), view->end());
}

// `sizes().size(dim)` of saved sizes; negative dimensions count from the end.
inline int64_t element_at(const DimVector& sizes, int64_t dim) {
  return sizes[wrap_dim(dim, static_cast<int64_t>(sizes.size()), /*scalar_as_1d=*/false)];
}
inline int64_t numel_of(const DimVector& sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

// `tensors.sizes_along(dim)`: the size of each tensor along a dimension. A one-dimensional empty
// tensor, which `cat` takes among others of more dimensions, has no such size: -1.
inline DimVector sizes_along(TensorList tensors, int64_t dim) {
  DimVector sizes;
  for (const Tensor& tensor : tensors) {
    const bool skipped = tensor.dim() == 1 && tensor.numel() == 0;
    sizes.push_back(skipped ? -1 : tensor.size(dim));
  }
  return sizes;
}

// The gradients of the tensors of a list output.
inline TensorList gradient_list(const TensorVec& grads) {
  return std::span<const Tensor>(grads.begin(), grads.end());
}
inline bool any_defined(const TensorVec& grads) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return true;
  }
  return false;
}

// One that is defined, of which there has to be one.
inline const Tensor& first_defined(const TensorVec& grads) {
  size_t i = 0;
  while (!grads[i].defined()) ++i;
  return grads[i];
}

// The gradients of a list argument, from position `at` on.
inline void store_gradients(TensorVec& inputs, size_t at, size_t count,
                            std::vector<Tensor> gradients) {
  OW_CHECK(gradients.size() == count, "a backward formula gave ", gradients.size(),
           " gradients for a list of ", count, " tensors");
  for (size_t i = 0; i < count; ++i) inputs[at + i] = std::move(gradients[i]);
}

// Zeros as those of them that are asked for.
inline void store_zeros(const Node& node, TensorVec& inputs, size_t at, size_t count,
                        const Tensor& like) {
  for (size_t i = at; i < at + count; ++i) {
    if (node.should_compute_output(i)) inputs[i] = zeros_for_input(node, i, like);
  }
}

inline void increment_versions(TensorList list, const char* op) {
  for (const Tensor& t : list) increment_version(t, op);
}

}  // namespace opweave
