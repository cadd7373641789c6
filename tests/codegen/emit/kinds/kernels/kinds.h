// What kernels have in common that are as short as can be.
#pragma once

#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// f(in, i) for each element, where `in` is contiguous.
template <class F>
void each(const char* op, const Tensor& self, const F& f) {
  const Tensor in = contiguous(self);
  visit_floating(op, in.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < in.numel(); ++i) f(static_cast<const T*>(in.raw_data()), i);
  });
}

// An element to compute with, whatever arithmetic its type has.
template <class T>
double number(T element) {
  return static_cast<double>(element);
}

// A tensor as `outer` blocks of `length` lines of `inner` elements.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(const Tensor& self, int64_t dim) {
    if (self.dim() == 0) return;
    if (dim < 0) dim += self.dim();
    for (int64_t d = 0; d < self.dim(); ++d)
      (d < dim ? outer : d > dim ? inner : length) *= self.size(d);
  }
};

inline void sum_lines(const char* op, const Tensor& self, Lines lines, Tensor& out,
                      bool last_only) {
  const Tensor in = contiguous(self);
  visit_floating(op, in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
      const int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
      double sum = 0;
      for (int64_t i = 0; i < lines.length; ++i) {
        sum += static_cast<double>(from[start + i * lines.inner]);
        if (!last_only) to[start + i * lines.inner] = static_cast<T>(sum);
      }
      if (last_only) to[line] = static_cast<T>(sum);
    }
  });
}

}  // namespace opweave::cpu
