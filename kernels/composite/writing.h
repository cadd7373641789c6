// Writing to tensors that a kernel has just made. Kernels for every target do so below autograd,
// where no version is counted and no history recorded; a `composite` one holds the guard itself.
#pragma once

#include "opweave/ops/copy_.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

inline void copy_into(Tensor& to, const Tensor& from, bool non_blocking = false) {
  opweave::copy_(to, from, non_blocking);
}
inline void copy_into(Tensor&& to, const Tensor& from, bool non_blocking = false) {
  copy_into(to, from, non_blocking);
}

inline Tensor filled(Tensor t, const Scalar& value) {
  opweave::fill_(t, value);
  return t;
}

inline Tensor zeroed(Tensor t) {
  opweave::zero_(t);
  return t;
}

}  // namespace opweave::composite
