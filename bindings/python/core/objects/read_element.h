// Single elements in host memory, by dtype.
#pragma once

#include "runtime/core/numbers/scalar.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

// Calls f(T*) with the element type of `dtype`.
template <class F>
decltype(auto) with_element_type(ScalarType dtype, F&& f) {
  return visit_dtypes<dtypes::kEvery>(
      dtype, [&]<class T>(TypeTag<T>) -> decltype(auto) { return f(static_cast<T*>(nullptr)); },
      [] { OW_THROW(ErrorKind::kInternal, "an element of undefined type"); });
}

inline Scalar read_element(const void* element, ScalarType dtype) {
  // What was never set may be any byte.
  if (dtype == kBool) return *static_cast<const unsigned char*>(element) != 0;
  return with_element_type(dtype, [&](auto* type) -> Scalar {
    return *static_cast<const std::remove_pointer_t<decltype(type)>*>(element);
  });
}

}  // namespace opweave::python
