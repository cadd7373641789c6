// Images in other sizes, along one dimension after the other.
#pragma once

#include <vector>

#include "kernels/composite/resizing_taps.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// How each spatial dimension of [N, C, *spatial] changes.
using Resizes = std::vector<Resize>;

// The results lie in memory as `self` does: with their channels last or in order.
Tensor resized_to_nearest(const Tensor& self, const Resizes& resizes, bool exact);

struct Smooth {
  Filter filter;
  bool align_corners, covering = false;
};
// Floats of 16 bits are rounded once, bytes after each dimension, as in PyTorch.
Tensor resized_smoothly(const Tensor& self, const Resizes& resizes, const Smooth& how);

}  // namespace opweave::composite
