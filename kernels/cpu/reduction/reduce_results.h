// Writing the states of a reduction as elements of the result.
#pragma once

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/reduction/reduce_kernel.h"

namespace opweave::cpu {

// out[begin + i * stride] = value(states[i]), converted to the dtype of `out`.
template <class State, class Value>
void write_results(Tensor& out, const void* states, int64_t n, int64_t begin, int64_t stride,
                   Value&& value) {
  visit_dtype("reduce", out.dtype(), [&]<class T>(TypeTag<T>) {
    T* to = static_cast<T*>(out.raw_data()) + begin;
    for (int64_t i = 0; i < n; ++i) {
      to[i * stride] = static_cast<T>(value(static_cast<const State*>(states)[i]));
    }
  });
}

// Reduces with a kernel whose states are double for floats and int64 for integers.
template <class Value>
void reduce_numbers(Tensor& out, const Tensor& self, DimMask mask, const ReduceKernel& kernel,
                    Value&& value) {
  const bool floating = is_floating(self.dtype());
  reduce(self, mask, kernel, [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
    if (floating) {
      write_results<double>(out, states, n, begin, stride, value);
    } else {
      write_results<int64_t>(out, states, n, begin, stride, value);
    }
  });
}

}  // namespace opweave::cpu
