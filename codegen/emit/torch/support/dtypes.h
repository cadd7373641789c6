// Sets of dtypes, as generated code names them.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include <cstdint>

namespace opweave {

using at::BFloat16;
using at::Half;
using at::kBFloat16;
using at::kBool;
using at::kByte;
using at::kChar;
using at::kDouble;
using at::kFloat;
using at::kHalf;
using at::kInt;
using at::kLong;
using at::kShort;
using at::ScalarType;

// Those that kernels compute in: the type in C++, and its name.
#define OW_FORALL_COMMON(_) \
  _(bool, Bool)             \
  _(uint8_t, Byte)          \
  _(int8_t, Char)           \
  _(int16_t, Short)         \
  _(int32_t, Int)           \
  _(int64_t, Long)          \
  _(at::Half, Half)         \
  _(at::BFloat16, BFloat16) \
  _(float, Float)           \
  _(double, Double)

constexpr uint64_t dtype_bit(ScalarType type) { return uint64_t{1} << static_cast<int>(type); }
inline uint64_t dtype_bit(caffe2::TypeMeta type) {
  return dtype_bit(c10::typeMetaToScalarType(type));
}

namespace dtypes {
constexpr uint64_t kReducedFloat = dtype_bit(at::kHalf) | dtype_bit(at::kBFloat16);
constexpr uint64_t kCommonFloating = kReducedFloat | dtype_bit(at::kFloat) | dtype_bit(at::kDouble);
constexpr uint64_t kCommonIntegral = dtype_bit(at::kByte) | dtype_bit(at::kChar) |
                                     dtype_bit(at::kShort) | dtype_bit(at::kInt) |
                                     dtype_bit(at::kLong);
constexpr uint64_t kCommonWhole = kCommonIntegral | dtype_bit(at::kBool);
constexpr uint64_t kCommonNumeric = kCommonIntegral | kCommonFloating;
constexpr uint64_t kCommon = kCommonWhole | kCommonFloating;
}  // namespace dtypes

}  // namespace opweave
