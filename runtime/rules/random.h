// The checks of random operators, for every target.
#pragma once

#include <optional>

#include "runtime/core/tensor.h"

namespace opweave {

void check_uniform(const Tensor& self, double from, double to);
void check_normal(const Tensor& self, double std);
void check_exponential(const Tensor& self, double lambda);
void check_probability(double p);
// Checks that a dtype holds the whole numbers of [from, to); returns how many there are. Without
// `to`, up to the largest that the dtype counts to without a gap. 0 stands for 2^64.
uint64_t check_random_range(ScalarType dtype, int64_t from, std::optional<int64_t> to);

}  // namespace opweave
