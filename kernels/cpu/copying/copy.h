// Copying and filling CPU memory.
#pragma once

#include "runtime/core/tensor.h"

namespace opweave::cpu {

// Writes `from`, broadcast and converted, to `to`. Both are on the CPU.
void copy_elements(Tensor& to, const Tensor& from);
// Writes one number everywhere. Elements may share memory.
void fill_elements(Tensor& to, const Scalar& value);

}  // namespace opweave::cpu
