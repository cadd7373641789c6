// Where every error is thrown: one place for a debugger's breakpoint.
#include "runtime/core/error.h"

namespace opweave {

void throw_error(ErrorKind kind, std::string message) { throw Error(kind, std::move(message)); }

void throw_internal(const char* file, int line, const char* condition, std::string message) {
  std::string text = str("internal error: ", condition, " is false at ", file, ":", line);
  if (!message.empty()) text += str(": ", message);
  throw Error(ErrorKind::kInternal, std::move(text));
}

}  // namespace opweave
