// Reasons to end a group.
#include "runtime/distributed/backends/broken_off.h"

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/error_text.h"

namespace opweave::distributed {

std::string without_call(const Collective& collective, const std::string& text) {
  const std::string call = describe_call(collective) + ": ";
  return text.starts_with(call) ? text.substr(call.size()) : text;
}

std::string broken_off(const Collective& collective) {
  return str(describe_call(collective),
             " was broken off: ", without_call(collective, text_of(std::current_exception())));
}

}  // namespace opweave::distributed
