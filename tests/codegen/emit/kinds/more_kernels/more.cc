// Kernels of tensors that may be None, of lists, and of one dimension of a matrix.
#include <cstring>

#include "../kernels/kinds.h"
#include "opweave/kernels/cpu/every_nth.h"
#include "opweave/kernels/cpu/firsts.h"
#include "opweave/kernels/cpu/joined.h"
#include "opweave/kernels/cpu/largest_of.h"
#include "opweave/kernels/cpu/line_sums.h"
#include "opweave/kernels/cpu/tilted.h"
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

void joined(TensorList tensors, int64_t dim, Tensor& out) {
  if (dim < 0) dim += out.dim();
  int64_t outer = 1;
  for (int64_t d = 0; d < dim; ++d) outer *= out.size(d);
  const size_t row = outer == 0 ? 0 : out.nbytes() / static_cast<size_t>(outer);
  char* to = static_cast<char*>(out.raw_data());
  for (const Tensor& tensor : tensors) {
    const Tensor part = contiguous(tensor);
    const size_t bytes = outer == 0 ? 0 : part.nbytes() / static_cast<size_t>(outer);
    for (int64_t block = 0; block < outer && bytes > 0; ++block)
      std::memcpy(to + block * row, static_cast<const char*>(part.raw_data()) + block * bytes,
                  bytes);
    to += bytes;
  }
}

void every_nth(const Tensor& self, int64_t step, Tensor& out) {
  each("every_nth", self, [&]<class T>(const T* in, int64_t i) {
    if (i % step == 0) static_cast<T*>(out.raw_data())[i / step] = in[i];
  });
}

void firsts(const Tensor& self, int64_t dim, Tensor& out) {
  const Lines lines(self, dim);
  each("firsts", self, [&]<class T>(const T* in, int64_t i) {
    const int64_t block = lines.length * lines.inner;
    if (i % block < lines.inner)
      static_cast<T*>(out.raw_data())[i / block * lines.inner + i % lines.inner] = in[i];
  });
}

void tilted(const Tensor& self, TensorList others, const Tensor& weight, Tensor& out) {
  const Tensor a = contiguous(others[0]), b = contiguous(others[1]), by = contiguous(weight);
  each("tilted", self, [&]<class T>(const T* in, int64_t i) {
    const auto at = [&](const Tensor& tensor) {
      return number(static_cast<const T*>(tensor.raw_data())[i]);
    };
    static_cast<T*>(out.raw_data())[i] = static_cast<T>(number(in[i]) + at(by) * at(a) * at(b));
  });
}

}  // namespace opweave::cpu
