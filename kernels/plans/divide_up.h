// divide_up: how many parts of a size there are, the last of which may be smaller.
#pragma once

#include <cstdint>

namespace opweave::plans {

// b > 0.
constexpr int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace opweave::plans
