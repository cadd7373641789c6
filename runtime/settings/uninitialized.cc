#include "runtime/settings/uninitialized.h"

#include <atomic>
#include <limits>

namespace opweave {
namespace {
constinit std::atomic<bool> filled{false};
}

bool fills_uninitialized() { return filled.load(std::memory_order_relaxed); }
void set_fills_uninitialized(bool fills) { filled.store(fills, std::memory_order_relaxed); }

Scalar uninitialized_pattern(ScalarType dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * info.bytes);
  switch (info.category) {
    case DtypeCategory::boolean:
      return true;
    case DtypeCategory::signed_integer:
      return static_cast<int64_t>(all >> 1);
    case DtypeCategory::unsigned_integer:
      return all;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace opweave
