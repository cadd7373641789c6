// visit_dtype: calls a generic callable with the C++ type of an element type.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/core/base/error.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

[[noreturn]] inline void fail_dtype(std::string_view op, ScalarType dtype) {
  OW_THROW(ErrorKind::kNotImplemented, "\"", op, "\" not implemented for '",
           scalar_type_name(dtype), "'");
}

// visit([&]<class T>(TypeTag<T>) { … }) with the element type; NotImplementedError in the name of
// `op` for a dtype that is not one of kDtypes. Code is made for these alone.
template <DtypeMask kDtypes = dtypes::kCommon, class Visitor>
decltype(auto) visit_dtype(std::string_view op, ScalarType dtype, Visitor&& visit) {
  return visit_dtypes<kDtypes>(dtype, std::forward<Visitor>(visit), [&] { fail_dtype(op, dtype); });
}

// float16, bfloat16, float32, float64.
template <class Visitor>
decltype(auto) visit_floating(std::string_view op, ScalarType dtype, Visitor&& visit) {
  return visit_dtype<dtypes::kCommonFloating>(op, dtype, std::forward<Visitor>(visit));
}

// The same without the 16-bit types, for algorithms that convert them beforehand.
template <class Visitor>
decltype(auto) visit_float_double(std::string_view op, ScalarType dtype, Visitor&& visit) {
  return visit_dtype<dtypes::kCommonFloating & ~dtypes::kReducedFloat>(
      op, dtype, std::forward<Visitor>(visit));
}

}  // namespace opweave::cpu
