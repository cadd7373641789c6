// Number formatting for str().
#include "runtime/core/base/str.h"

#include <charconv>

namespace opweave {

void append_to(std::string& out, double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out.append(buffer, end);
}

void append_to(std::string& out, std::span<const int64_t> values) {
  out.push_back('[');
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.append(", ");
    out.append(std::to_string(values[i]));
  }
  out.push_back(']');
}

}  // namespace opweave
