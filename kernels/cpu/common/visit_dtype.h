// visit_dtype: calls a generic callable with the C++ type of an element type.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/core/error.h"
#include "runtime/core/scalar_type.h"

namespace opweave::cpu {

template <class T>
struct TypeTag {
  using type = T;
};

[[noreturn]] inline void fail_dtype(std::string_view op, ScalarType dtype) {
  OW_THROW(ErrorKind::kNotImplemented, "\"", op, "\" not implemented for '",
           scalar_type_name(dtype), "'");
}

// visit([&]<class T>(TypeTag<T>) { … }): every element type.
template <class Visitor>
decltype(auto) visit_dtype(ScalarType dtype, Visitor&& visit) {
  switch (dtype) {
#define OW_CASE(cpp, name) \
  case ScalarType::name:   \
    return visit(TypeTag<cpp>());
    OW_FORALL_SCALAR_TYPES(OW_CASE)
#undef OW_CASE
    default:
      fail_dtype("visit_dtype", dtype);
  }
}

// float16, bfloat16, float32, float64; NotImplementedError in the name of `op` for others.
template <class Visitor>
decltype(auto) visit_floating(std::string_view op, ScalarType dtype, Visitor&& visit) {
  switch (dtype) {
    case kHalf:
      return visit(TypeTag<Half>());
    case kBFloat16:
      return visit(TypeTag<BFloat16>());
    case kFloat:
      return visit(TypeTag<float>());
    case kDouble:
      return visit(TypeTag<double>());
    default:
      fail_dtype(op, dtype);
  }
}

// The same without the 16-bit types, for algorithms that convert them beforehand.
template <class Visitor>
decltype(auto) visit_float_double(std::string_view op, ScalarType dtype, Visitor&& visit) {
  switch (dtype) {
    case kFloat:
      return visit(TypeTag<float>());
    case kDouble:
      return visit(TypeTag<double>());
    default:
      fail_dtype(op, dtype);
  }
}

}  // namespace opweave::cpu
