// Dimensions as kernels need them, once a rule has checked that they exist.
#pragma once

#include <optional>

#include "runtime/rules/reduction.h"

namespace opweave::plans {

// Counted from the front; 0 for a tensor of no dimensions.
inline int64_t from_front(int64_t dim, int64_t ndim) {
  return ndim == 0 ? 0 : dim < 0 ? dim + ndim : dim;
}

// How many elements lie along a dimension that is counted from the front.
inline int64_t length_along(const Tensor& t, int64_t dim) {
  return t.dim() == 0 ? 1 : t.sizes()[static_cast<size_t>(dim)];
}

// The dimensions that are reduced: all where none are listed.
inline DimMask mask_of(IntList dims, int64_t ndim) {
  if (dims.empty()) return every_dim(ndim);
  DimMask mask;
  for (int64_t d : dims) mask.set(static_cast<size_t>(from_front(d, ndim)));
  return mask;
}
inline DimMask mask_of(const std::optional<IntList>& dims, int64_t ndim) {
  return dims ? mask_of(*dims, ndim) : every_dim(ndim);
}
inline DimMask mask_of(int64_t dim, int64_t ndim) { return mask_of(IntList(&dim, 1), ndim); }

}  // namespace opweave::plans
