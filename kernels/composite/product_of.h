// The number of elements of sizes.
#pragma once

#include "runtime/core/tensor/sizes_and_strides.h"

namespace opweave::composite {

// Of sizes of tensors that there are: it is not looked at whether it fits.
inline int64_t product_of(IntList sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace opweave::composite
