// The loops that fill memory with each distribution, as one instruction set has them.
#pragma once

#include "kernels/plans/distributions.h"
#include "runtime/core/random/generator.h"

namespace opweave::cpu {

using namespace plans::distributions;

struct Target {
  void* out;
  ScalarType dtype;
  PhiloxSlice slice;
};

// Fills elements [begin, end); `begin` is a multiple of 64.
template <class Distribution>
using Fill = void (*)(const Distribution&, const Target&, int64_t begin, int64_t end);

struct Fills {
  Fill<Uniform> uniform;
  Fill<Normal> normal;
  Fill<Exponential> exponential;
  Fill<Bernoulli> bernoulli;
  Fill<Integers> integers;
};

}  // namespace opweave::cpu
