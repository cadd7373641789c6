// ScalarType: the element types of tensors, their sizes, names and categories.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/core/half.h"

namespace opweave {

// The order is the order of promotion within a category; see type_promotion.h.
enum class ScalarType : int8_t {
  kBool = 0,
  kByte,      // uint8
  kChar,      // int8
  kShort,     // int16
  kInt,       // int32
  kLong,      // int64
  kHalf,      // float16
  kBFloat16,  // bfloat16
  kFloat,     // float32
  kDouble,    // float64
  kUndefined,
};
inline constexpr int kNumScalarTypes = 10;

inline constexpr ScalarType kBool = ScalarType::kBool;
inline constexpr ScalarType kByte = ScalarType::kByte;
inline constexpr ScalarType kChar = ScalarType::kChar;
inline constexpr ScalarType kShort = ScalarType::kShort;
inline constexpr ScalarType kInt = ScalarType::kInt;
inline constexpr ScalarType kLong = ScalarType::kLong;
inline constexpr ScalarType kHalf = ScalarType::kHalf;
inline constexpr ScalarType kBFloat16 = ScalarType::kBFloat16;
inline constexpr ScalarType kFloat = ScalarType::kFloat;
inline constexpr ScalarType kDouble = ScalarType::kDouble;

constexpr size_t element_size(ScalarType t) {
  constexpr uint8_t sizes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 0};
  return sizes[static_cast<int>(t)];
}
constexpr bool is_floating(ScalarType t) { return t >= kHalf && t <= kDouble; }
constexpr bool is_integral(ScalarType t, bool include_bool) {
  return (t >= kByte && t <= kLong) || (include_bool && t == kBool);
}
constexpr bool is_reduced_float(ScalarType t) { return t == kHalf || t == kBFloat16; }

// "float32", as in opweave.float32.
std::string_view dtype_name(ScalarType t);
// "Float", as in error messages of PyTorch ("expected scalar type Float but found Double").
std::string_view scalar_type_name(ScalarType t);
inline void append_to(std::string& out, ScalarType t) { out.append(dtype_name(t)); }

template <class T>
struct CppTypeToScalarType;
#define OW_FORALL_SCALAR_TYPES(X)                                                             \
  X(bool, kBool)                                                                              \
  X(uint8_t, kByte)                                                                           \
  X(int8_t, kChar)                                                                            \
  X(int16_t, kShort) X(int32_t, kInt) X(int64_t, kLong) X(Half, kHalf) X(BFloat16, kBFloat16) \
      X(float, kFloat) X(double, kDouble)
#define OW_MAP(cpp, st)                                 \
  template <>                                           \
  struct CppTypeToScalarType<cpp> {                     \
    static constexpr ScalarType value = ScalarType::st; \
  };
OW_FORALL_SCALAR_TYPES(OW_MAP)
#undef OW_MAP
template <class T>
inline constexpr ScalarType scalar_type_of = CppTypeToScalarType<T>::value;

// The type in which sums and transcendental functions of T are computed.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};
template <class T>
using compute_type = typename ComputeType<T>::type;

}  // namespace opweave
