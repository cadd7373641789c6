// Executes a pointwise plan: splits it into blocks that fit the cache, brings operands that are
// strided, broadcast or of another type into buffers, runs the loop, and puts the result in place.
#pragma once

#include <span>

#include "kernels/cpu/pointwise/loops.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/pointwise/plan.h"

namespace opweave::cpu {

// Dense operands of the types that the loop reads: only split over threads, and written past the
// cache when the result is large.
void run_line(const PointwiseSpec& spec, PointwiseLoop loop, ScalarType common, void* out,
              const void* const* inputs, const Scalar* params, int64_t n);

void execute(const PointwiseSpec& spec, const PointwiseLoops& loops, const PointwisePlan& plan,
             std::span<const Scalar> params);

}  // namespace opweave::cpu
