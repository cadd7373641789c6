// Dtypes: those that XLA has and kernels know, with the names and the sets of Opweave.
#pragma once

#include <cstddef>
#include <cstdint>

#include "half.h"

namespace opweave {

// In this order support/_kernel.py numbers them.
enum class ScalarType : int8_t {
  Bool,
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  BFloat16,
  Float,
  Double,
};
inline constexpr ScalarType kBool = ScalarType::Bool, kByte = ScalarType::Byte,
                            kChar = ScalarType::Char, kShort = ScalarType::Short,
                            kInt = ScalarType::Int, kLong = ScalarType::Long,
                            kHalf = ScalarType::Half, kBFloat16 = ScalarType::BFloat16,
                            kFloat = ScalarType::Float, kDouble = ScalarType::Double;

inline constexpr size_t element_size(ScalarType type) {
  constexpr uint8_t kSizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  return kSizes[static_cast<int>(type)];
}
inline const char* scalar_type_name(ScalarType type) {
  constexpr const char* kNames[] = {"Bool", "Byte", "Char",     "Short", "Int",
                                    "Long", "Half", "BFloat16", "Float", "Double"};
  return kNames[static_cast<int>(type)];
}

// The element type of a C++ type; none for others.
template <class T>
inline constexpr ScalarType scalar_type_of = T::opweave_has_no_such_element_type;
#define OW_TYPE(T, id) \
  template <>          \
  inline constexpr ScalarType scalar_type_of<T> = k##id
OW_TYPE(bool, Bool);
OW_TYPE(uint8_t, Byte);
OW_TYPE(int8_t, Char);
OW_TYPE(int16_t, Short);
OW_TYPE(int32_t, Int);
OW_TYPE(int64_t, Long);
OW_TYPE(Half, Half);
OW_TYPE(BFloat16, BFloat16);
OW_TYPE(float, Float);
OW_TYPE(double, Double);
#undef OW_TYPE

using DtypeMask = uint64_t;
constexpr DtypeMask dtype_bit(ScalarType type) { return DtypeMask{1} << static_cast<int>(type); }

namespace dtypes {
inline constexpr DtypeMask kReducedFloat = dtype_bit(kHalf) | dtype_bit(kBFloat16);
inline constexpr DtypeMask kCommonFloating = kReducedFloat | dtype_bit(kFloat) | dtype_bit(kDouble);
inline constexpr DtypeMask kCommonIntegral =
    dtype_bit(kByte) | dtype_bit(kChar) | dtype_bit(kShort) | dtype_bit(kInt) | dtype_bit(kLong);
inline constexpr DtypeMask kCommonWhole = kCommonIntegral | dtype_bit(kBool);
inline constexpr DtypeMask kCommonNumeric = kCommonIntegral | kCommonFloating;
inline constexpr DtypeMask kCommon = kCommonWhole | kCommonFloating;
}  // namespace dtypes

}  // namespace opweave
