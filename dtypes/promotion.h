// Promotion of two dtypes after PyTorch's rules (torch.result_type, "Tensor Attributes" in its
// documentation), for the runtime and for the generator.
#pragma once

#include <string_view>

#include "dtypes/dtype.h"

namespace opweave {

// What two dtypes promote to; or, where they do not, the kind of dtype that does not: "Float8
// Types".
struct Promoted {
  ScalarType type = ScalarType::kUndefined;
  std::string_view unsupported = {};
};

// Of bool, integers, floats and complex numbers, in this order.
constexpr int promotion_category(ScalarType t) {
  if (is_complex(t)) return 3;
  return is_floating(t) ? 2 : is_integral(t, /*include_bool=*/false) ? 1 : 0;
}

constexpr Promoted promoted(ScalarType a, ScalarType b);

// One of them is complex: so is the result, of parts that hold both.
constexpr Promoted promoted_complex(ScalarType a, ScalarType b) {
  const ScalarType given = is_complex(a) ? a : b, other = is_complex(a) ? b : a;
  if (contains(dtypes::kFloat8, other)) return {.unsupported = "Float8 Types"};
  if (contains(dtypes::kWideUnsigned, other)) {
    return {.unsupported = "uint16, uint32, uint64 types"};
  }
  const ScalarType found = complex_dtype(promoted(part_dtype(given), part_dtype(other)).type);
  if (found == ScalarType::kUndefined) return {.unsupported = "complex128"};
  return {found};
}

constexpr Promoted promoted(ScalarType a, ScalarType b) {
  if (a == b) return {a};
  if (is_complex(a) || is_complex(b)) return promoted_complex(a, b);
  if (!contains(dtypes::kCommon, a) || !contains(dtypes::kCommon, b)) {
    const DtypeMask both = dtype_bit(a) | dtype_bit(b);
    if ((both & dtypes::kFloat8) != 0) return {.unsupported = "Float8 Types"};
    if (is_floating(a)) return {a};
    if (is_floating(b)) return {b};
    return {.unsupported = "uint16, uint32, uint64 types"};
  }
  // The table stands in the order of promotion.
  const ScalarType low = a < b ? a : b, high = a < b ? b : a;
  if (high == ScalarType::kBFloat16 && low == ScalarType::kHalf) return {ScalarType::kFloat};
  if (is_floating(high)) return {high};
  // Signed types hold uint8 from int16 on; int8 and uint8 meet in int16.
  if (low == ScalarType::kByte && high == ScalarType::kChar) return {ScalarType::kShort};
  return {high};
}

// Of operands of which one kind goes before the other, as tensors with dimensions before numbers:
// the first stands unless the other is of a higher category. Either may be undefined.
constexpr Promoted promoted_by_priority(ScalarType higher, ScalarType lower) {
  if (higher == ScalarType::kUndefined) return {lower};
  if (lower == ScalarType::kUndefined) return {higher};
  const bool rises = promotion_category(lower) > promotion_category(higher);
  return rises ? promoted(higher, lower) : Promoted{higher};
}

}  // namespace opweave
