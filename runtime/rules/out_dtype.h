// Which dtypes an `out` may have that is not of the result's.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave {

enum class OutDtype : uint8_t {
  kSame,   // none
  kCast,   // those to which the result's casts: no float to a whole number
  kTruth,  // bool and uint8, which once stood for it
  kAny,    // all: what is written fits into each
};

// RuntimeError where `out` may not have its dtype.
void check_out_dtype(std::string_view op, ScalarType result, ScalarType out, OutDtype allowed);

}  // namespace opweave
