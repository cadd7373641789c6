// _softmax, _log_softmax and their gradients.
#include <algorithm>

#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/normalization/softmax_kernel.h"
#include "opweave/kernels/cpu/_log_softmax.h"
#include "opweave/kernels/cpu/_log_softmax_backward_data.h"
#include "opweave/kernels/cpu/_softmax.h"
#include "opweave/kernels/cpu/_softmax_backward_data.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

// A contiguous tensor around one dimension: outer × n × inner.
struct Lines {
  int64_t outer = 1, n = 1, inner = 1;

  Lines(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      (d < dim ? outer : d == dim ? n : inner) *= sizes[d];
    }
  }

  // Calls body(offset, block) on several threads.
  template <class Body>
  void for_blocks(Body&& body) const {
    const int64_t work = std::max<int64_t>(n * inner, 1);
    const int64_t grain = std::max<int64_t>(kGrainSize / 8 / work, 1);
    parallel_for(0, outer, grain, [&](int64_t from, int64_t to) {
      if (inner == 1) {
        body(from * n, SoftmaxBlock{to - from, n, n, 1});
        return;
      }
      for (int64_t o = from; o < to; ++o) body(o * work, SoftmaxBlock{inner, n, 1, inner});
    });
  }
};

// 16-bit floats are computed in float32.
ScalarType wide_dtype(ScalarType dtype) { return is_reduced_float(dtype) ? kFloat : dtype; }

void check_softmax_dtype(ScalarType dtype, bool logarithm) {
  const auto name = logarithm ? "log_softmax_kernel_impl" : "softmax_kernel_impl";
  if (!contains(dtypes::kCommonFloating, dtype)) fail_dtype(name, dtype);
}

Tensor forward(const Tensor& self, int64_t dim, bool half_to_float, bool logarithm) {
  const int64_t d = wrap_dim(dim, self.dim());
  check_softmax_dtype(self.dtype(), logarithm);
  const ScalarType dtype = wide_dtype(self.dtype());
  const Tensor in = opweave::contiguous(cast(self, dtype));
  Tensor out = make_tensor(in.sizes(), dtype, in.device());
  if (in.numel() > 0) {
    const SoftmaxKernel kernel = softmax_kernel(dtype, logarithm);
    const int64_t item = static_cast<int64_t>(element_size(dtype));
    char* from = static_cast<char*>(in.raw_data());
    char* to = static_cast<char*>(out.raw_data());
    Lines(in.sizes(), d).for_blocks([&](int64_t offset, const SoftmaxBlock& block) {
      kernel.forward(from + offset * item, to + offset * item, block);
    });
  }
  return half_to_float ? out : cast(out, self.dtype());
}

Tensor backward(const Tensor& grad, const Tensor& output, int64_t dim, ScalarType input_dtype,
                bool logarithm) {
  const int64_t d = wrap_dim(dim, grad.dim());
  check_softmax_dtype(grad.dtype(), logarithm);
  const ScalarType dtype = wide_dtype(grad.dtype());
  const Tensor g = opweave::contiguous(cast(grad, dtype));
  const Tensor r = opweave::contiguous(cast(output, dtype));
  Tensor out = make_tensor(g.sizes(), dtype, g.device());
  if (g.numel() > 0) {
    const SoftmaxKernel kernel = softmax_kernel(dtype, logarithm);
    const int64_t item = static_cast<int64_t>(element_size(dtype));
    auto at = [&](const Tensor& t, int64_t offset) {
      return static_cast<char*>(t.raw_data()) + offset * item;
    };
    Lines(g.sizes(), d).for_blocks([&](int64_t offset, const SoftmaxBlock& block) {
      kernel.backward(at(g, offset), at(r, offset), at(out, offset), block);
    });
  }
  return cast(out, input_dtype);
}

}  // namespace

Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  return forward(self, dim, half_to_float, /*logarithm=*/false);
}
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  return forward(self, dim, half_to_float, /*logarithm=*/true);
}
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                              ScalarType input_dtype) {
  return backward(grad_output, output, dim, input_dtype, /*logarithm=*/false);
}
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                  ScalarType input_dtype) {
  return backward(grad_output, output, dim, input_dtype, /*logarithm=*/true);
}

}  // namespace opweave::cpu
