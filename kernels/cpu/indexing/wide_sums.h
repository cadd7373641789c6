// Sums of many terms in 16 bits would be rounded as often, and stop growing at 2048 or 256 ones.
#pragma once

#include "kernels/cpu/copying/copy.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {

// add(sums): to `self`, or where it has 16 bits to a wider copy, which is rounded once.
template <class Add>
Tensor& add_in_full(Tensor& self, Add add) {
  Tensor sums = converted(self, rule::widened(self.dtype()));
  add(sums);
  if (!sums.is_same(self)) copy_elements(self, sums);
  return self;
}

}  // namespace opweave::cpu
