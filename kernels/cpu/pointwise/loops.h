// The loops of one pointwise operator on the CPU, one per type of computation.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// Computes n elements. All arrays are contiguous and of the type of computation; those of kind bool
// hold bytes 0 or 1. `out` may be one of the inputs, but not overlap them in another way.
using PointwiseLoop = void (*)(void* out, const void* const* inputs, const Scalar* params,
                               int64_t n);

// By ScalarType; null where the operator is not defined. Half and the like compute in float: they
// have no loops of their own.
struct PointwiseLoops {
  PointwiseLoop by_type[kNumScalarTypes];

  PointwiseLoop of(ScalarType common) const {
    return by_type[static_cast<int>(compute_dtype(common))];
  }
};

}  // namespace opweave::cpu
