// Errors on their way through a library.
#include "runtime/stable/errors.h"

#include <string>

#include "runtime/core/base/error.h"

namespace opweave::stable {
namespace {

struct Kept {
  std::exception_ptr exception;
  int32_t kind = OW_RUNTIME_ERROR;
  std::string text;
};
Kept& kept() {
  static thread_local Kept error;
  return error;
}

constexpr ErrorKind kKinds[] = {ErrorKind::kRuntime, ErrorKind::kType, ErrorKind::kValue,
                                ErrorKind::kIndex, ErrorKind::kNotImplemented};

int32_t code_of(ErrorKind kind) {
  for (int32_t i = 0; i < static_cast<int32_t>(std::size(kKinds)); ++i) {
    if (kKinds[i] == kind) return i;
  }
  return OW_RUNTIME_ERROR;
}

// A kind of a later release is a RuntimeError.
ErrorKind kind_of(int32_t code) {
  const bool known = code >= 0 && code < static_cast<int32_t>(std::size(kKinds));
  return known ? kKinds[code] : ErrorKind::kRuntime;
}

}  // namespace

OwStatus keep_current_exception() noexcept {
  Kept& error = kept();
  error = {std::current_exception(), OW_RUNTIME_ERROR, {}};
  try {
    std::rethrow_exception(error.exception);
  } catch (const Error& e) {
    error.kind = code_of(e.kind());
    error.text = e.what();
  } catch (const std::exception& e) {
    error.text = e.what();
  } catch (...) {
    error.text = "an error of the program";  // one of Python, which its exception tells
  }
  return OW_FAILED;
}

OwStatus set_error(int32_t kind, const char* text, uint64_t length) noexcept {
  try {
    throw_error(kind_of(kind), std::string(text, length));
  } catch (...) {
    return keep_current_exception();
  }
}

const char* error_text() noexcept { return kept().text.c_str(); }
int32_t error_kind() noexcept { return kept().kind; }

void throw_kept(std::string_view who) {
  const std::exception_ptr exception = std::exchange(kept().exception, nullptr);
  if (exception) std::rethrow_exception(exception);
  OW_THROW(ErrorKind::kRuntime, who, " failed, and does not say why");
}

}  // namespace opweave::stable
