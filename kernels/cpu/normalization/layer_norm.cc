// native_layer_norm and its gradients.
#include <cmath>
#include <vector>

#include "kernels/cpu/normalization/norm_common.h"
#include "opweave/kernels/cpu/native_layer_norm.h"
#include "opweave/kernels/cpu/native_layer_norm_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Rows of `length` elements that are normalised each on its own.
struct Rows {
  int64_t count = 1, length = 1;

  Rows(IntList sizes, IntList normalized) {
    const size_t leading = sizes.size() - normalized.size();
    for (size_t d = 0; d < sizes.size(); ++d) (d < leading ? count : length) *= sizes[d];
  }
  int64_t grain() const { return kGrainSize / std::max<int64_t>(length, 1) + 1; }
};

// What the three gradients are computed from, in one dtype.
struct Backward {
  Tensor g, x, w, means, scales;
  Rows rows;
  NormKernel kernel;

  void input(Tensor& out) const {
    const double length = static_cast<double>(rows.length);
    parallel_for(0, rows.count, rows.grain(), [&](int64_t from, int64_t to) {
      for (int64_t r = from; r < to; ++r) {
        const int64_t at = r * rows.length;
        const double m = value_at(means, r), a = value_at(scales, r);
        const RunSums s = kernel.weighted_sums(element_at(g, at), element_at(w, 0),
                                               element_at(x, at), rows.length);
        const double slope = a * (s.second - m * s.first) / length;  // mean of g w x̂
        const double b = -a * a * slope;
        kernel.weighted_affine2(element_at(g, at), element_at(w, 0), element_at(x, at),
                                element_at(out, at), rows.length, a, b,
                                -a * s.first / length - b * m);
      }
    });
  }

  // Either may be undefined. By columns, so that threads share no sums.
  void parameters(Tensor& weight, Tensor& bias) const {
    fill_zeros(weight);
    fill_zeros(bias);
    if (!weight.defined() && !bias.defined()) return;
    constexpr int64_t kColumns = 64;
    const int64_t blocks = (rows.length + kColumns - 1) / kColumns;
    const int64_t grain = kGrainSize / (kColumns * std::max<int64_t>(rows.count, 1)) + 1;
    parallel_for(0, blocks, grain, [&](int64_t from, int64_t to) {
      const int64_t first = from * kColumns;
      const int64_t n = std::min(to * kColumns, rows.length) - first;
      for (int64_t r = 0; r < rows.count; ++r) {
        const int64_t at = r * rows.length + first;
        kernel.add_products(element_at(g, at), element_at(x, at), element_at(weight, first),
                            element_at(bias, first), n, value_at(scales, r), value_at(means, r));
      }
    });
  }
};

}  // namespace

void native_layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight,
                       const Tensor& bias, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  const ScalarType dtype = norm_dtype(input);
  const Tensor x = norm_argument(input, dtype), w = norm_argument(weight, dtype);
  const Tensor b = norm_argument(bias, dtype);
  WideResult result(out, dtype);
  const Tensor& y = result.tensor();
  const Rows rows(x.sizes(), normalized_shape);
  const NormKernel kernel = norm_kernel(dtype);
  parallel_for(0, rows.count, rows.grain(), [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      const int64_t at = r * rows.length;
      const RunSums m = kernel.moments(element_at(x, at), rows.length);
      const double scale = 1 / std::sqrt(m.second / static_cast<double>(rows.length) + eps);
      kernel.weighted_centered(element_at(x, at), element_at(w, 0), element_at(b, 0),
                               element_at(y, at), rows.length, scale, m.first);
      set_value(mean, r, m.first);
      set_value(rstd, r, scale);
    }
  });
  result.finish();
}

void native_layer_norm_backward(const Tensor& grad_out, const Tensor& input,
                                IntList normalized_shape, const Tensor& mean, const Tensor& rstd,
                                const Tensor& weight, const Tensor& /*bias*/,
                                std::array<bool, 3> /*output_mask*/, Tensor& grad_input,
                                Tensor& grad_weight, Tensor& grad_bias) {
  const ScalarType dtype = norm_dtype(input);
  const Tensor x = norm_argument(input, dtype);
  const Backward backward{norm_argument(grad_out, dtype),
                          x,
                          norm_argument(weight, dtype),
                          norm_argument(mean, dtype),
                          norm_argument(rstd, dtype),
                          Rows(x.sizes(), normalized_shape),
                          norm_kernel(dtype)};
  WideResult to_input(grad_input, dtype), to_weight(grad_weight, dtype), to_bias(grad_bias, dtype);
  if (grad_input.defined()) backward.input(to_input.tensor());
  backward.parameters(to_weight.tensor(), to_bias.tensor());
  to_input.finish();
  to_weight.finish();
  to_bias.finish();
}

}  // namespace opweave::cpu
