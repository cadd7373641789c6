// OutDtype as C++ spells it.
#pragma once

#include <string>

#include "codegen/model/lowered/out_dtypes.h"

namespace opweave::codegen {

// `OutDtype::kCast`.
inline std::string out_dtype_name(OutDtype dtype) {
  constexpr std::string_view kNames[] = {"kSame", "kCast", "kTruth", "kAny"};
  return "OutDtype::" + std::string(kNames[static_cast<size_t>(dtype)]);
}

}  // namespace opweave::codegen
