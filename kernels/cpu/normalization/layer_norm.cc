// native_layer_norm and its gradients.
#include <cmath>
#include <vector>

#include "kernels/cpu/normalization/norm_common.h"
#include "opweave/kernels/cpu/native_layer_norm.h"
#include "opweave/kernels/cpu/native_layer_norm_backward.h"
#include "runtime/core/parallel.h"

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

void check_parameter(std::string_view name, const Tensor& t, IntList normalized) {
  OW_CHECK(!t.defined() || same_sizes(t.sizes(), normalized), "Expected ", name,
           " to be of same shape as normalized_shape, but got ", name, " of shape ",
           t.defined() ? t.sizes() : IntList(), " and normalized_shape = ", normalized);
}

void check(const Tensor& input, IntList normalized, const Tensor& weight, const Tensor& bias) {
  OW_CHECK(!normalized.empty(),
           "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
           "element, but got normalized_shape = ",
           normalized);
  check_parameter("weight", weight, normalized);
  check_parameter("bias", bias, normalized);
  const IntList sizes = input.sizes();
  const bool fits = sizes.size() >= normalized.size() &&
                    std::equal(normalized.begin(), normalized.end(),
                               sizes.end() - static_cast<int64_t>(normalized.size()));
  if (fits) return;
  std::string wanted = "*";
  for (int64_t n : normalized) wanted += ", " + std::to_string(n);
  OW_THROW(ErrorKind::kRuntime, "Given normalized_shape=", normalized,
           ", expected input with shape [", wanted, "], but got input of size", sizes);
}

DimVector statistics_sizes(IntList sizes, IntList normalized) {
  DimVector result(sizes);
  for (size_t d = sizes.size() - normalized.size(); d < sizes.size(); ++d) result[d] = 1;
  return result;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, IntList normalized_shape,
                                                     const Tensor& weight, const Tensor& bias,
                                                     double eps) {
  check(input, normalized_shape, weight, bias);
  const ScalarType dtype = norm_dtype("LayerNormKernelImpl", input);
  check_norm_parameter(input, weight);
  check_norm_parameter(input, bias);
  const Tensor x = norm_argument(input, dtype), w = norm_argument(weight, dtype);
  const Tensor b = norm_argument(bias, dtype);
  const DimVector statistics = statistics_sizes(x.sizes(), normalized_shape);
  Tensor out = make_tensor(x.sizes(), dtype, x.device());
  Tensor mean = make_tensor(statistics, dtype, x.device());
  Tensor rstd = make_tensor(statistics, dtype, x.device());
  const Rows rows(x.sizes(), normalized_shape);
  const NormKernel kernel = norm_kernel(dtype);
  parallel_for(0, rows.count, rows.grain(), [&](int64_t from, int64_t to) {
    for (int64_t r = from; r < to; ++r) {
      const int64_t at = r * rows.length;
      const RunSums m = kernel.moments(element_at(x, at), rows.length);
      const double scale = 1 / std::sqrt(m.second / static_cast<double>(rows.length) + eps);
      kernel.weighted_centered(element_at(x, at), element_at(w, 0), element_at(b, 0),
                               element_at(out, at), rows.length, scale, m.first);
      set_value(mean, r, m.first);
      set_value(rstd, r, scale);
    }
  });
  return {cast(out, input.dtype()), mean, rstd};
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& grad_out, const Tensor& input, IntList normalized_shape, const Tensor& mean,
    const Tensor& rstd, const Tensor& weight, const Tensor& bias, std::array<bool, 3> output_mask) {
  const ScalarType dtype = norm_dtype("LayerNormBackwardKernelImpl", input);
  const Tensor g = norm_argument(grad_out, dtype), x = norm_argument(input, dtype);
  const Tensor w = norm_argument(weight, dtype);
  const Tensor means = norm_argument(mean, dtype), scales = norm_argument(rstd, dtype);
  const Rows rows(x.sizes(), normalized_shape);
  const NormKernel kernel = norm_kernel(dtype);
  const double length = static_cast<double>(rows.length);
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) {
    grad_input = make_tensor(x.sizes(), dtype, x.device());
    parallel_for(0, rows.count, rows.grain(), [&](int64_t from, int64_t to) {
      for (int64_t r = from; r < to; ++r) {
        const int64_t at = r * rows.length;
        const double m = value_at(means, r), a = value_at(scales, r);
        const RunSums s = kernel.weighted_sums(element_at(g, at), element_at(w, 0),
                                               element_at(x, at), rows.length);
        const double slope = a * (s.second - m * s.first) / length;  // mean of g w x̂
        const double b = -a * a * slope;
        kernel.weighted_affine2(element_at(g, at), element_at(w, 0), element_at(x, at),
                                element_at(grad_input, at), rows.length, a, b,
                                -a * s.first / length - b * m);
      }
    });
    grad_input = cast(grad_input, input.dtype());
  }
  if (output_mask[1]) grad_weight = make_zeros(normalized_shape, dtype);
  if (output_mask[2]) grad_bias = make_zeros(normalized_shape, dtype);
  if (output_mask[1] || output_mask[2]) {
    // By columns, so that threads share no sums.
    constexpr int64_t kColumns = 64;
    const int64_t blocks = (rows.length + kColumns - 1) / kColumns;
    const int64_t grain = kGrainSize / (kColumns * std::max<int64_t>(rows.count, 1)) + 1;
    parallel_for(0, blocks, grain, [&](int64_t from, int64_t to) {
      const int64_t first = from * kColumns;
      const int64_t n = std::min(to * kColumns, rows.length) - first;
      for (int64_t r = 0; r < rows.count; ++r) {
        const int64_t at = r * rows.length + first;
        kernel.add_products(element_at(g, at), element_at(x, at), element_at(grad_weight, first),
                            element_at(grad_bias, first), n, value_at(scales, r),
                            value_at(means, r));
      }
    });
  }
  if (output_mask[1]) grad_weight = cast(grad_weight, weight.dtype());
  if (output_mask[2]) grad_bias = cast(grad_bias, bias.dtype());
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace opweave::cpu
