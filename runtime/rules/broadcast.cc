// Broadcasting, and the layout of results.
#include "runtime/rules/broadcast.h"

#include <algorithm>

#include "runtime/rules/arithmetic.h"

namespace opweave {
namespace {

// Whether the operands want dimension a inside b (-1), outside (1), or do not care (0).
int compare_dimensions(IntList shape, std::span<const DimVector> strides, int64_t a, int64_t b) {
  for (const DimVector& s : strides) {
    if (s.empty() || s[a] == 0 || s[b] == 0) continue;  // absent, or repeated: no wish
    if (s[a] != s[b]) return s[a] < s[b] ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}

}  // namespace

DimVector broadcast_sizes(IntList a, IntList b) {
  return rule::generic::broadcast<int64_t, DimVector>(a, b);
}

DimVector broadcast_strides(const Tensor& tensor, IntList shape) {
  const IntList sizes = tensor.sizes(), strides = tensor.strides();
  const auto item = static_cast<int64_t>(tensor.element_size());
  const size_t offset = shape.size() - sizes.size();
  DimVector bytes(shape.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool repeated = sizes[i] == 1 && shape[offset + i] != 1;
    bytes[offset + i] = repeated ? 0 : stride_product(strides[i], item);
  }
  return bytes;
}

DimVector dimension_order(IntList shape, std::span<const DimVector> strides) {
  const auto ndim = static_cast<int64_t>(shape.size());
  DimVector order;
  for (int64_t d = ndim - 1; d >= 0; --d) order.push_back(d);
  // Insertion sort that looks past dimensions without a wish: the relation is not transitive.
  for (int64_t i = 1; i < ndim; ++i) {
    int64_t moving = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int wish = compare_dimensions(shape, strides, order[j], order[moving]);
      if (wish < 0) break;
      if (wish > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  return order;
}

DimVector strides_in_order(IntList shape, IntList order) {
  DimVector strides(shape.size());
  int64_t stride = 1;
  for (int64_t d : order) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

DimVector dense_strides_like(const Tensor& like) {
  if (like.impl()->is_non_overlapping_and_dense()) return like.strides();
  const DimVector strides = broadcast_strides(like, like.sizes());
  return strides_in_order(like.sizes(), dimension_order(like.sizes(), {&strides, 1}));
}

}  // namespace opweave
