// What generated files of a library name: those of formulas, over the stable interface.
#ifndef OPWEAVE_STABLE_GENERATED_H_
#define OPWEAVE_STABLE_GENERATED_H_

#include "opweave/stable/library.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

using Scalar = Number;

// Integers stay integers but for division, as the core computes them.
template <class F>
Scalar arithmetic(const Scalar& a, const Scalar& b, F f) {
  if (a.value().tag == OW_FLOAT || b.value().tag == OW_FLOAT)
    return f(a.to_double(), b.to_double());
  return f(a.to_int(), b.to_int());
}
inline Scalar operator+(const Scalar& a, const Scalar& b) {
  return arithmetic(a, b, [](auto x, auto y) { return x + y; });
}
inline Scalar operator-(const Scalar& a, const Scalar& b) {
  return arithmetic(a, b, [](auto x, auto y) { return x - y; });
}
inline Scalar operator*(const Scalar& a, const Scalar& b) {
  return arithmetic(a, b, [](auto x, auto y) { return x * y; });
}
inline Scalar operator/(const Scalar& a, const Scalar& b) { return a.to_double() / b.to_double(); }
inline Scalar operator-(const Scalar& a) { return Scalar(0) - a; }

// Promotes as a number of Python.
inline Tensor wrapped_number_tensor(const Scalar& value) {
  OwNumber number{};
  const uint32_t tag = value.value().tag;
  number.dtype = tag == OW_FLOAT ? OW_DTYPE_Double : tag == OW_BOOL ? OW_DTYPE_Bool : OW_DTYPE_Long;
  number.as.integer = value.value().as.integer;  // or the bits of a double
  OwTensor made = nullptr;
  check(api().tensor_of_number(number, &made));
  return Tensor::owned(made);
}

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_GENERATED_H_
