// Conversion of runs of 16-bit floats to and from float32, with the instructions of the processor.
#pragma once

#include <cstdint>

#include "runtime/core/half.h"

namespace opweave::cpu {

void convert(const Half* in, float* out, int64_t n);
void convert(const BFloat16* in, float* out, int64_t n);
// Rounds to nearest, ties to even.
void convert(const float* in, Half* out, int64_t n);
void convert(const float* in, BFloat16* out, int64_t n);

}  // namespace opweave::cpu
