// Which elements along a dimension those of another size are made of, and with which weights.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// A dimension of `size` elements that becomes one of `out`. Factors that are given and positive say
// how far apart the sources lie, else the sizes do.
struct Resize {
  int64_t size, out;
  std::optional<double> factor;

  double step() const {
    return factor && *factor > 0 ? 1 / *factor
                                 : static_cast<double>(size) / static_cast<double>(out);
  }
};

// What follows are tensors of the host. RuntimeError where there is no room for them.

// The sum over taps of weight times element: [taps, out], of int64 and float64.
struct LineTaps {
  Tensor index, weight;
};

enum class Filter : uint8_t { kLinear, kCubic };

// Of each new element the one that is taken. Places are float32, as PyTorch's are.
Tensor nearest_elements(const Resize& resize);
// The one whose middle is nearest.
Tensor exact_nearest_elements(const Resize& resize);
// Of two or four neighbours, in float64; beyond the ends is the border.
LineTaps neighbour_taps(const Resize& resize, Filter filter, bool align_corners);
// Of all elements that a new one covers, where the dimension becomes smaller; -1 is none.
LineTaps covering_taps(const Resize& resize, Filter filter, bool align_corners);

}  // namespace opweave::composite
