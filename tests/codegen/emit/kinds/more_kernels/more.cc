// Kernels of tensors that may be None, of lists, and of one dimension of a matrix.
#include "../kernels/kinds.h"
#include "opweave/kernels/cpu/largest_of.h"
#include "opweave/kernels/cpu/line_sums.h"
#include "opweave/kernels/cpu/weighted_sum.h"

namespace opweave::cpu {

void line_sums(const Tensor& self, int64_t dim, Tensor& out) {
  sum_lines("line_sums", self, Lines(self, dim), out, /*last_only=*/true);
}

void weighted_sum(const Tensor& self, const Tensor& weight, Tensor& out) {
  const Tensor weights = weight.defined() ? contiguous(weight) : Tensor();
  double sum = 0;
  each("weighted_sum", self, [&]<class T>(const T* in, int64_t i) {
    const T* of = weights.defined() ? static_cast<const T*>(weights.raw_data()) : nullptr;
    sum += static_cast<double>(in[i]) * (of != nullptr ? static_cast<double>(of[i]) : 1.0);
  });
  visit_floating("weighted_sum", out.dtype(), [&]<class T>(TypeTag<T>) {
    *static_cast<T*>(out.raw_data()) = static_cast<T>(sum);
  });
}

void largest_of(TensorList tensors, Tensor& out) {
  for (size_t k = 0; k < tensors.size(); ++k) {
    each("largest_of", tensors[k], [&]<class T>(const T* in, int64_t i) {
      T* to = static_cast<T*>(out.raw_data());
      if (k == 0 || to[i] < in[i]) to[i] = in[i];
    });
  }
}

}  // namespace opweave::cpu
