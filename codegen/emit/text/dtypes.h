// Sets of dtypes as they are printed: for people, and in generated C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dtypes/dtype.h"

namespace opweave::codegen {

// In the order of dtypes/dtypes.def.
std::vector<std::string_view> dtypes_of(DtypeMask dtypes);
// "float16, float32"
std::string dtype_names(DtypeMask dtypes);
// A constant expression with few words: "dtypes::kCommonFloating | dtype_bit(kBool)".
std::string dtype_mask(DtypeMask dtypes);

}  // namespace opweave::codegen
