// The specs of the operators of example_shard.cc, as the generator prints them, and its entry
// points.
#pragma once

#include "kernels/cpu/pointwise/run.h"

namespace opweave::cpu {

Tensor add_example(const Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor& add_example_(Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor& add_example_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha);
Tensor exp_example(const Tensor& self);
Tensor lt_example(const Tensor& self, const Tensor& other);
Tensor where_example(const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor pow_example(const Tensor& self, const Scalar& exponent);
Tensor silu_example(const Tensor& self);

}  // namespace opweave::cpu
