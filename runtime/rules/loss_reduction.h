// The numbers that stand for `reduction=` of a loss, as at::Reduction has them.
#pragma once

#include <cstdint>

namespace opweave::rule::loss_reduction {

inline constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

}  // namespace opweave::rule::loss_reduction
