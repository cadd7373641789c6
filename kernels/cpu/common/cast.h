// cast: a tensor in another dtype, or the tensor itself.
#pragma once

#include "opweave/ops/to.h"

namespace opweave::cpu {

inline Tensor cast(const Tensor& self, ScalarType dtype) {
  return self.dtype() == dtype ? self : opweave::to(self, dtype);
}

}  // namespace opweave::cpu
