// Names of element types.
#include "runtime/core/scalar_type.h"

namespace opweave {

std::string_view dtype_name(ScalarType t) {
  constexpr std::string_view names[] = {"bool",    "uint8",   "int8",     "int16",
                                        "int32",   "int64",   "float16",  "bfloat16",
                                        "float32", "float64", "undefined"};
  return names[static_cast<int>(t)];
}

std::string_view scalar_type_name(ScalarType t) {
  constexpr std::string_view names[] = {"Bool", "Byte",     "Char",  "Short",  "Int",      "Long",
                                        "Half", "BFloat16", "Float", "Double", "Undefined"};
  return names[static_cast<int>(t)];
}

}  // namespace opweave
