// Numbers of ranks and tags, as operators take them.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime/core/base/error.h"

namespace opweave::composite {

// A group says what it thinks of a rank; here it has to be one that a group can have.
inline int rank_of(int64_t rank) {
  OW_CHECK_VALUE(rank >= -1 && rank <= std::numeric_limits<int>::max(), "there is no rank ", rank);
  return static_cast<int>(rank);
}

inline int tag_of(int64_t tag) {
  OW_CHECK_VALUE(tag >= 0 && tag <= std::numeric_limits<int>::max(),
                 "expected a tag of 0 to 2147483647, got ", tag);
  return static_cast<int>(tag);
}

}  // namespace opweave::composite
