// Random numbers into dense memory, as runtime/core/random/random_numbers.h says, vectorised and in
// parallel.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/random/generator.h"

namespace opweave::cpu {

// The dtype is a floating one for the first three, and any for the others.
void fill_uniform(void* out, ScalarType dtype, int64_t n, double from, double to,
                  const Generator& generator);
void fill_normal(void* out, ScalarType dtype, int64_t n, double mean, double std,
                 const Generator& generator);
void fill_exponential(void* out, ScalarType dtype, int64_t n, double lambda,
                      const Generator& generator);
// Ones with probability `p`, or with probabilities[i] where those are given.
void fill_bernoulli(void* out, ScalarType dtype, int64_t n, double p, const double* probabilities,
                    const Generator& generator);
// Whole numbers of [low, low + range); a range of 0 stands for 2^64.
void fill_integers(void* out, ScalarType dtype, int64_t n, int64_t low, uint64_t range,
                   const Generator& generator);

}  // namespace opweave::cpu
