// mm, bmm, addmm, baddbmm, mv, dot, linear.
#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/linear_algebra/dot_kernel.h"
#include "kernels/cpu/linear_algebra/gemm.h"
#include "opweave/kernels/cpu/addmm.h"
#include "opweave/kernels/cpu/baddbmm.h"
#include "opweave/kernels/cpu/bmm.h"
#include "opweave/kernels/cpu/dot.h"
#include "opweave/kernels/cpu/linear.h"
#include "opweave/kernels/cpu/mm.h"
#include "opweave/kernels/cpu/mv.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// A batch of products, split between threads when there are enough of them.
void multiply_batches(const Scalar& alpha, const Tensor& a, const Tensor& b, const Scalar& beta,
                      Tensor& out) {
  const int64_t batches = out.sizes()[0];
  const int64_t item = static_cast<int64_t>(out.element_size());
  auto run = [&](int64_t from, int64_t to) {
    Matrix x = matrix_of(a), y = matrix_of(b), z = matrix_of(out);
    x.data += from * a.strides()[0] * item;
    y.data += from * b.strides()[0] * item;
    z.data += from * out.strides()[0] * item;
    for (int64_t i = from; i < to; ++i) {
      gemm(out.dtype(), alpha, x, y, beta, z);
      x.data += a.strides()[0] * item;
      y.data += b.strides()[0] * item;
      z.data += out.strides()[0] * item;
    }
  };
  const int64_t work = std::max<int64_t>(out.sizes()[1] * out.sizes()[2] * a.sizes()[2], 1);
  if (batches < num_threads()) {
    run(0, batches);
  } else {
    parallel_for(0, batches, std::max<int64_t>(kGrainSize / work, 1), run);
  }
}

// Repeats a dense row, or copies whatever broadcasts, into `out`.
void fill_broadcast(Tensor& out, const Tensor& value) {
  const IntList sizes = out.sizes();
  const bool is_row = value.dim() == 1 && !sizes.empty() && value.sizes()[0] == sizes.back() &&
                      value.is_contiguous() && value.dtype() == out.dtype();
  if (!is_row) {
    copy_elements(out, value);
    return;
  }
  const size_t bytes = value.nbytes();
  if (bytes == 0) return;
  char* to = static_cast<char*>(out.raw_data());
  for (char* end = to + out.nbytes(); to < end; to += bytes) {
    std::memcpy(to, value.raw_data(), bytes);
  }
}

// What a product is added to: `self` in the shape of the result; nothing when it does not count.
void start_with(Tensor& out, const Tensor& self, const Scalar& beta) {
  if (!beta.equal(0)) fill_broadcast(out, self);
}

}  // namespace

void mm(const Tensor& self, const Tensor& mat2, Tensor& out) {
  gemm(self.dtype(), 1, matrix_of(self), matrix_of(mat2), 0, matrix_of(out));
}

void addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha, Tensor& out) {
  start_with(out, self, beta);
  gemm(mat1.dtype(), alpha, matrix_of(mat1), matrix_of(mat2), beta, matrix_of(out));
}

void bmm(const Tensor& self, const Tensor& mat2, Tensor& out) {
  multiply_batches(1, self, mat2, 0, out);
}

void baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
             const Scalar& alpha, Tensor& out) {
  start_with(out, self, beta);
  multiply_batches(alpha, batch1, batch2, beta, out);
}

void dot(const Tensor& self, const Tensor& tensor, Tensor& out) {
  const DotResult result = dot_kernel(self.dtype())(
      self.raw_data(), self.strides()[0], tensor.raw_data(), tensor.strides()[0], self.numel());
  visit_dtype("dot", out.dtype(), [&]<class T>(TypeTag<T>) {
    *static_cast<T*>(out.raw_data()) =
        std::is_integral_v<T> ? static_cast<T>(result.integral) : static_cast<T>(result.floating);
  });
}

void mv(const Tensor& self, const Tensor& vec, Tensor& out) {
  const Matrix column{static_cast<char*>(vec.raw_data()), vec.sizes()[0], 1, vec.strides()[0], 1};
  const Matrix result{static_cast<char*>(out.raw_data()), out.sizes()[0], 1, 1, 1};
  gemm(self.dtype(), 1, matrix_of(self), column, 0, result);
}

void linear(const Tensor& input, const Tensor& weight, const Tensor& bias, Tensor& out) {
  // Leading dimensions are rows; a weight of one dimension is one column.
  std::optional<Dense> rows_of;
  const Tensor& x = input.dim() == 2 ? input : rows_of.emplace(input);
  const int64_t in = x.sizes().back(), outputs = weight.dim() == 2 ? weight.sizes()[0] : 1;
  const int64_t rows = checked_numel(x.sizes().first(x.dim() - 1));
  if (bias.defined()) start_with(out, bias, 1);
  const Matrix a =
      x.dim() == 2 ? matrix_of(x) : Matrix{static_cast<char*>(x.raw_data()), rows, in, in, 1};
  const Matrix b = weight.dim() == 2 ? matrix_of(weight).transposed()
                                     : Matrix{static_cast<char*>(weight.raw_data()), in, 1,
                                              weight.strides()[0], 1};
  const Matrix c{static_cast<char*>(out.raw_data()), rows, outputs, outputs, 1};
  gemm(x.dtype(), 1, a, b, int64_t{bias.defined()}, c);
}

}  // namespace opweave::cpu
