// The numbers that PyTorch's CPU gives for a seed, from a Mersenne twister, into dense memory: one
// after the other, each distribution by PyTorch's own way from words to values.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/random/mt19937.h"

namespace opweave::cpu::sequential {

// Where numbers go.
struct Memory {
  void* out;
  ScalarType dtype;
  int64_t n;
};

// The dtype is a floating one for the first three, and any for the others.
void uniform(Mt19937& words, const Memory& to, double from, double end);
// `blocks`: sixteen at a time, as PyTorch does where a tensor is contiguous and has as many.
void normal(Mt19937& words, const Memory& to, double mean, double std, bool blocks);
void exponential(Mt19937& words, const Memory& to, double lambda);
void bernoulli(Mt19937& words, const Memory& to, double p);
// A probability for each; those of float64 tensors are compared with numbers of 53 bits, others
// with 24.
void bernoulli(Mt19937& words, const Memory& to, const double* each, bool wide);
// Whole numbers of [low, low + range); a range of 0 stands for 2^64.
void integers(Mt19937& words, const Memory& to, int64_t low, uint64_t range);
// Of all that 64 bits hold.
void words(Mt19937& words, const Memory& to);
// Of [0, range), as random_() without bounds draws them: by the size of the dtype.
void whole(Mt19937& words, const Memory& to, uint64_t range);

}  // namespace opweave::cpu::sequential
