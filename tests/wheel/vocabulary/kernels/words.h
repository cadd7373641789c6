// Beside other folders, from where kernels include it.
#pragma once

#include "runtime/core/base/str.h"
#include "runtime/core/numbers/scalar.h"
#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

inline double number_of(const Scalar& number) {
  return number.is_floating() ? number.to_double() : static_cast<double>(number.to_long());
}

template <class T>
double sum_of(const T& values) {
  double sum = 0;
  for (const auto value : values) sum += static_cast<double>(value);
  return sum;
}

}  // namespace opweave::cpu
