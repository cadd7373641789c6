// Questions about lists of tensors.
#include "runtime/rules/lists.h"

#include <algorithm>

namespace opweave::rule {

int64_t first_unlike(TensorList a, TensorList b) {
  const size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    const bool alike = a[i].dtype() == b[i].dtype() && same_sizes(a[i].sizes(), b[i].sizes());
    if (!alike) return static_cast<int64_t>(i);
  }
  return a.size() == b.size() ? -1 : static_cast<int64_t>(n);
}

int64_t first_integral(TensorList tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!contains(dtypes::kCommonFloating, tensors[i].dtype())) return static_cast<int64_t>(i);
  }
  return -1;
}

bool are_contiguous(TensorList tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const Tensor& t) { return t.is_contiguous(); });
}

bool are_numbers(TensorList tensors, ScalarType dtype) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [dtype](const Tensor& t) { return t.dtype() == dtype && t.numel() == 1; });
}

}  // namespace opweave::rule
