// _softmax, _log_softmax and their gradients.
#include <algorithm>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/copying/wide_result.h"
#include "kernels/cpu/normalization/softmax_kernel.h"
#include "kernels/plans/around_dim.h"
#include "kernels/plans/dims.h"
#include "opweave/kernels/cpu/_log_softmax.h"
#include "opweave/kernels/cpu/_log_softmax_backward_data.h"
#include "opweave/kernels/cpu/_softmax_backward_data.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {
namespace {

// Calls body(offset, block) on several threads.
template <class Body>
void for_blocks(const plans::AroundDim& lines, Body&& body) {
  const int64_t n = lines.n, inner = lines.inner;
  const int64_t work = std::max<int64_t>(n * inner, 1);
  const int64_t grain = std::max<int64_t>(kGrainSize / 8 / work, 1);
  parallel_for(0, lines.outer, grain, [&](int64_t from, int64_t to) {
    if (inner == 1) {
      body(from * n, SoftmaxBlock{to - from, n, n, 1});
      return;
    }
    for (int64_t o = from; o < to; ++o) body(o * work, SoftmaxBlock{inner, n, 1, inner});
  });
}

plans::AroundDim around(const Tensor& t, int64_t dim) {
  return {t.sizes(), plans::from_front(dim, t.dim())};
}

// 16-bit floats are computed in float32.

void forward(const Tensor& self, int64_t dim, bool logarithm, Tensor& out) {
  if (self.numel() == 0) return;
  const ScalarType dtype = rule::widened(self.dtype());
  const Dense input(self, dtype);
  const Tensor& in = input;
  WideResult result(out, dtype);
  const SoftmaxKernel kernel = softmax_kernel(dtype, logarithm);
  const int64_t item = static_cast<int64_t>(element_size(dtype));
  const char* from = static_cast<const char*>(in.raw_data());
  char* to = static_cast<char*>(result.tensor().raw_data());
  for_blocks(around(in, dim), [&](int64_t offset, const SoftmaxBlock& block) {
    kernel.forward(from + offset * item, to + offset * item, block);
  });
  result.finish();
}

void backward(const Tensor& grad, const Tensor& output, int64_t dim, bool logarithm, Tensor& out) {
  if (grad.numel() == 0) return;
  const ScalarType dtype = rule::widened(grad.dtype());
  const Dense gradient(grad, dtype), softened(output, dtype);
  const Tensor &g = gradient, &r = softened;
  WideResult result(out, dtype);
  const SoftmaxKernel kernel = softmax_kernel(dtype, logarithm);
  const int64_t item = static_cast<int64_t>(element_size(dtype));
  auto at = [&](const Tensor& t, int64_t offset) {
    return static_cast<char*>(t.raw_data()) + offset * item;
  };
  for_blocks(around(g, dim), [&](int64_t offset, const SoftmaxBlock& block) {
    kernel.backward(at(g, offset), at(r, offset), at(result.tensor(), offset), block);
  });
  result.finish();
}

}  // namespace

void _log_softmax(const Tensor& self, int64_t dim, bool /*half_to_float*/, Tensor& out) {
  forward(self, dim, /*logarithm=*/true, out);
}
void _softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                            ScalarType /*input_dtype*/, Tensor& out) {
  backward(grad_output, output, dim, /*logarithm=*/false, out);
}
void _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                ScalarType /*input_dtype*/, Tensor& out) {
  backward(grad_output, output, dim, /*logarithm=*/true, out);
}

}  // namespace opweave::cpu
