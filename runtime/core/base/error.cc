// Where every error is thrown: one place for a debugger's breakpoint.
#include "runtime/core/base/error.h"

#include <new>

#include "runtime/core/base/stack.h"

namespace opweave {

Error::Error(ErrorKind kind, std::string message, const std::string& stack)
    : kind_(kind),
      names_operator_(kind != ErrorKind::kSize && kind != ErrorKind::kOutOfMemory),
      message_(std::move(message)),
      with_stack_(stack.empty()
                      ? message_
                      : str(message_, "\n\nC++ stack (most recent call first):\n", stack)) {}

void Error::name_operator(std::string_view name) noexcept {
  if (names_operator_) return;
  try {
    std::string message = str(name, "(): ", message_);
    std::string with_stack = str(name, "(): ", with_stack_);
    message_.swap(message);
    with_stack_.swap(with_stack);
    names_operator_ = true;
  } catch (const std::bad_alloc&) {
    return;  // the error as it is says more than one about its text
  }
}

void throw_error(ErrorKind kind, std::string message) {
  throw Error(kind, std::move(message), shows_cpp_stack() ? cpp_stack(/*skipped=*/1) : "");
}

void throw_internal(const char* file, int line, const char* condition, std::string message) {
  std::string text = str("internal error: ", condition, " is false at ", file, ":", line);
  if (!message.empty()) text += str(": ", message);
  throw_error(ErrorKind::kInternal, std::move(text));
}

}  // namespace opweave
