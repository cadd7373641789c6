// MemoryFormat, with PyTorch's names; Layout comes from its table.
#pragma once

#include <cstdint>
#include <string>

#include "dtypes/layout.h"

namespace opweave {

enum class MemoryFormat : int8_t { kContiguous, kPreserve, kChannelsLast, kChannelsLast3d };
inline void append_to(std::string& out, MemoryFormat f) {
  constexpr const char* names[] = {"contiguous_format", "preserve_format", "channels_last",
                                   "channels_last_3d"};
  out += names[static_cast<int>(f)];
}

}  // namespace opweave
