// Writing to tensors that a kernel has just made: no version to count, no history to record.
#pragma once

#include "opweave/ops/copy_.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/tensor.h"
#include "runtime/core/thread_state.h"

namespace opweave::composite {

inline void copy_into(Tensor& to, const Tensor& from, bool non_blocking = false) {
  const BelowADInplaceOrView guard;
  opweave::copy_(to, from, non_blocking);
}
inline void copy_into(Tensor&& to, const Tensor& from, bool non_blocking = false) {
  copy_into(to, from, non_blocking);
}

inline Tensor filled(Tensor t, const Scalar& value) {
  const BelowADInplaceOrView guard;
  opweave::fill_(t, value);
  return t;
}

inline Tensor zeroed(Tensor t) {
  const BelowADInplaceOrView guard;
  opweave::zero_(t);
  return t;
}

}  // namespace opweave::composite
