// A few float32 and float64 operators written by hand, so that autograd is tested without generated
// code: those that autograd itself calls, and some to differentiate.
#pragma once

#include <vector>

#include "runtime/autograd/api.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::test {

// Call first in each test; registers once.
void register_operators();

Tensor tensor(const std::vector<double>& values, bool requires_grad = false,
              ScalarType dtype = kDouble);
Tensor scalar(double value, bool requires_grad = false);
// Row-major.
std::vector<double> values(const Tensor& t);
double value(const Tensor& t);

Tensor add(const Tensor& a, const Tensor& b);
Tensor& add_(Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor& mul_(Tensor& a, const Tensor& b);
Tensor& fill_(Tensor& a, double value);
Tensor exp(const Tensor& a);  // saves its result
Tensor& exp_(Tensor& a);      // the same in place
Tensor log(const Tensor& a);  // NaN for negative numbers
Tensor sum(const Tensor& a);
Tensor select(const Tensor& a, int64_t index);  // a view: element or row
std::vector<Tensor> unbind(const Tensor& a);    // several views
Tensor as_strided(const Tensor& a, IntList sizes, IntList strides, int64_t offset);

}  // namespace opweave::test
