// What kernels throw, which the handler of a call hands to XLA as text.
#pragma once

#include <sstream>
#include <stdexcept>

namespace opweave {

enum class ErrorKind : uint8_t { kRuntime, kType, kValue, kIndex, kNotImplemented };

template <class... Parts>
[[noreturn]] void throw_error(ErrorKind, const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}
#define OW_THROW(...) ::opweave::throw_error(__VA_ARGS__)
#define OW_CHECK(condition, ...) \
  if (!(condition)) OW_THROW(::opweave::ErrorKind::kRuntime, __VA_ARGS__)

}  // namespace opweave
