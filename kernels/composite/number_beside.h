// A number as a tensor.
#pragma once

#include "opweave/ops/full.h"

namespace opweave::composite {

// Of no dimensions, in the dtype and on the device of `values`.
inline Tensor number_beside(const Tensor& values, double number) {
  return opweave::full({}, number, values.dtype(), {}, values.device());
}

}  // namespace opweave::composite
