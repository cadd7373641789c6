// Layout and MemoryFormat, with PyTorch's names.
#pragma once

#include <cstdint>
#include <string>

namespace opweave {

enum class Layout : int8_t { kStrided };
inline void append_to(std::string& out, Layout) { out += "strided"; }

enum class MemoryFormat : int8_t { kContiguous, kPreserve, kChannelsLast, kChannelsLast3d };
inline void append_to(std::string& out, MemoryFormat f) {
  constexpr const char* names[] = {"contiguous_format", "preserve_format", "channels_last",
                                   "channels_last_3d"};
  out += names[static_cast<int>(f)];
}

}  // namespace opweave
