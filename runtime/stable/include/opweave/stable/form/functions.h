// What formulas print, besides calls of operators.
#ifndef OPWEAVE_STABLE_FORM_FUNCTIONS_H_
#define OPWEAVE_STABLE_FORM_FUNCTIONS_H_

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include "opweave/stable/form/values.h"
#include "runtime/rules/checked_arithmetic.h"
#include "runtime/rules/list_element.h"

namespace opweave {
inline namespace stable_form {

// An optional list or text, kept by value, as the optional view that operators take.
template <class View, class T>
std::optional<View> optional_view(const std::optional<T>& stored) {
  if (!stored) return std::nullopt;
  return View(*stored);
}

// Of saved sizes; negative dimensions count from the end.
inline int64_t element_at(IntList sizes, int64_t dim) {
  return sizes[static_cast<size_t>(
      wrap_dim(dim, static_cast<int64_t>(sizes.size()), /*scalar_as_1d=*/false))];
}
inline int64_t numel_of(IntList sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

// The size of each tensor along a dimension; -1 of a one-dimensional empty one, which `cat` takes
// among others of more dimensions.
inline DimVector sizes_along(TensorList tensors, int64_t dim) {
  DimVector sizes;
  for (const Tensor& tensor : tensors) {
    const bool skipped = tensor.dim() == 1 && tensor.numel() == 0;
    sizes.push_back(skipped ? -1 : tensor.size(dim));
  }
  return sizes;
}

// The gradients of the tensors of a list output.
inline TensorList gradient_list(const std::vector<Tensor>& grads) {
  return std::span<const Tensor>(grads);
}
inline bool any_defined(const std::vector<Tensor>& grads) {
  for (const Tensor& grad : grads) {
    if (grad.defined()) return true;
  }
  return false;
}

}  // namespace stable_form
}  // namespace opweave

#endif  // OPWEAVE_STABLE_FORM_FUNCTIONS_H_
