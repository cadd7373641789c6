// Which elements along a dimension those of another size are made of, and with which weights.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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

// The sum over taps of weight times element: [taps, out].
struct LineTaps {
  std::vector<int64_t> index;
  std::vector<double> weight;
};

enum class Filter : uint8_t { kLinear, kCubic };

// Of each new element the one that is taken. Places are float32, as PyTorch's are.
std::vector<int64_t> nearest_elements(const Resize& resize);
// The one whose middle is nearest.
std::vector<int64_t> exact_nearest_elements(const Resize& resize);
// Of two or four neighbours, in float64; beyond the ends is the border.
LineTaps neighbour_taps(const Resize& resize, Filter filter, bool align_corners);
// Of all elements that a new one covers, where the dimension becomes smaller.
LineTaps covering_taps(const Resize& resize, Filter filter, bool align_corners);

}  // namespace opweave::composite
