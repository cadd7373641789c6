// Dtypes as C++ types: what kernels include as kernels/cpu/common/visit_dtype.h.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "dtypes.h"
#include "errors.h"

namespace opweave {

template <class T>
struct TypeTag {
  using type = T;
};
template <class T>
using compute_type =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

namespace cpu {

// visit([&]<class T>(TypeTag<T>) { … }) with the element type of one of kDtypes;
// NotImplementedError in the name of `op` for another.
template <uint64_t kDtypes = dtypes::kCommon, class Visitor>
void visit_dtype(std::string_view op, ScalarType dtype, Visitor&& visit) {
  switch (dtype) {
#define OW_VISIT(T, id)                                                          \
  case k##id:                                                                    \
    if constexpr ((kDtypes & dtype_bit(k##id)) != 0) return visit(TypeTag<T>()); \
    break;
    OW_VISIT(bool, Bool)
    OW_VISIT(uint8_t, Byte)
    OW_VISIT(int8_t, Char)
    OW_VISIT(int16_t, Short)
    OW_VISIT(int32_t, Int)
    OW_VISIT(int64_t, Long)
    OW_VISIT(Half, Half)
    OW_VISIT(BFloat16, BFloat16)
    OW_VISIT(float, Float)
    OW_VISIT(double, Double)
#undef OW_VISIT
    default:
      break;
  }
  OW_THROW(ErrorKind::kNotImplemented, "\"", op, "\" not implemented for '",
           scalar_type_name(dtype), "'");
}
template <class Visitor>
void visit_floating(std::string_view op, ScalarType dtype, Visitor&& visit) {
  visit_dtype<dtypes::kCommonFloating>(op, dtype, std::forward<Visitor>(visit));
}
template <class Visitor>
void visit_float_double(std::string_view op, ScalarType dtype, Visitor&& visit) {
  visit_dtype<dtypes::kCommonFloating & ~dtypes::kReducedFloat>(op, dtype,
                                                                std::forward<Visitor>(visit));
}

}  // namespace cpu
}  // namespace opweave
