// Powers of magnitudes: what norms of other orders than 0, 1, 2 and infinity add.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// |x| to the power of `order`, of float32 or float64, laid out like `t`.
Tensor powers_of_magnitudes(const Tensor& t, double order);

}  // namespace opweave::cpu
