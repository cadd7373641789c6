// Errors on their way through a library, which knows no exceptions of ours.
#pragma once

#include <exception>
#include <string_view>

#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// Keeps the exception that is being handled as this thread's error.
OwStatus keep_current_exception() noexcept;
OwStatus set_error(int32_t kind, const char* text, uint64_t length) noexcept;
const char* error_text() noexcept;
int32_t error_kind() noexcept;

// Throws this thread's error, the same object that was kept; `who` failed without saying why
// otherwise.
[[noreturn]] void throw_kept(std::string_view who);

// Runs what may throw for a caller that gets a status.
template <class F>
OwStatus guarded(F f) noexcept {
  try {
    f();
    return OW_DONE;
  } catch (...) {
    return keep_current_exception();
  }
}

}  // namespace opweave::stable
