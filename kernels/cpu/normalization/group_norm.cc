// native_group_norm and its gradients.
#include <cmath>
#include <vector>

#include "kernels/cpu/normalization/norm_common.h"
#include "opweave/kernels/cpu/native_group_norm.h"
#include "opweave/kernels/cpu/native_group_norm_backward.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

// Samples × groups × channels of a group × elements of a channel.
struct Shape {
  int64_t samples, groups, channels, plane;

  int64_t group_size() const { return channels * plane; }
  int64_t group_count() const { return samples * groups; }
  int64_t grain() const { return kGrainSize / std::max<int64_t>(group_size(), 1) + 1; }
  // Channel `k` of group `g`, counted over the samples.
  int64_t channel(int64_t g, int64_t k) const { return g % groups * channels + k; }
  int64_t offset(int64_t g, int64_t k) const { return (g * channels + k) * plane; }
};

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const Tensor& weight,
                                                     const Tensor& bias, int64_t N, int64_t C,
                                                     int64_t HxW, int64_t group, double eps) {
  const ScalarType dtype = norm_dtype("GroupNormKernelImpl", input);
  check_norm_parameter(input, weight);
  check_norm_parameter(input, bias);
  const Tensor x = norm_argument(input, dtype), w = norm_argument(weight, dtype);
  const Tensor b = norm_argument(bias, dtype);
  const Shape shape{N, group, C / group, HxW};
  Tensor out = make_tensor(x.sizes(), dtype, x.device());
  Tensor mean = make_tensor(IntList{N, group}, dtype, x.device());
  Tensor rstd = make_tensor(IntList{N, group}, dtype, x.device());
  const NormKernel kernel = norm_kernel(dtype);
  parallel_for(0, shape.group_count(), shape.grain(), [&](int64_t from, int64_t to) {
    for (int64_t g = from; g < to; ++g) {
      const RunSums m = kernel.moments(element_at(x, shape.offset(g, 0)), shape.group_size());
      const double scale = 1 / std::sqrt(m.second / static_cast<double>(shape.group_size()) + eps);
      for (int64_t k = 0; k < shape.channels; ++k) {
        const int64_t c = shape.channel(g, k), at = shape.offset(g, k);
        const double factor = scale * value_or(w, c, 1);
        kernel.affine(element_at(x, at), element_at(out, at), shape.plane, factor,
                      value_or(b, c, 0) - m.first * factor);
      }
      set_value(mean, g, m.first);
      set_value(rstd, g, scale);
    }
  });
  return {cast(out, input.dtype()), mean, rstd};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const Tensor& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    std::array<bool, 3> output_mask) {
  const ScalarType dtype = norm_dtype("GroupNormBackwardKernelImpl", input);
  const Tensor g = norm_argument(grad_out, dtype), x = norm_argument(input, dtype);
  const Tensor w = norm_argument(weight, dtype);
  const Tensor means = norm_argument(mean, dtype), scales = norm_argument(rstd, dtype);
  const Shape shape{N, group, C / group, HxW};
  const NormKernel kernel = norm_kernel(dtype);
  // Sums of g and g x of every channel of every sample.
  std::vector<RunSums> sums(static_cast<size_t>(N * C));
  Tensor grad_input;
  if (output_mask[0]) grad_input = make_tensor(x.sizes(), dtype, x.device());
  parallel_for(0, shape.group_count(), shape.grain(), [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      RunSums total;  // of g w and g w x
      for (int64_t k = 0; k < shape.channels; ++k) {
        const int64_t at = shape.offset(i, k);
        RunSums& s = sums[static_cast<size_t>(i * shape.channels + k)];
        s = kernel.sums(element_at(g, at), element_at(x, at), shape.plane);
        const double factor = value_or(w, shape.channel(i, k), 1);
        total.first += factor * s.first;
        total.second += factor * s.second;
      }
      if (!output_mask[0]) continue;
      const double m = value_at(means, i), a = value_at(scales, i);
      const double n = static_cast<double>(shape.group_size());
      const double slope = -a * a * a * (total.second - m * total.first) / n;
      for (int64_t k = 0; k < shape.channels; ++k) {
        const int64_t at = shape.offset(i, k);
        kernel.affine2(element_at(g, at), element_at(x, at), element_at(grad_input, at),
                       shape.plane, a * value_or(w, shape.channel(i, k), 1), slope,
                       -a * total.first / n - slope * m);
      }
    }
  });
  Tensor grad_weight = make_zeros(IntList{C}, dtype), grad_bias = make_zeros(IntList{C}, dtype);
  for (int64_t i = 0; i < shape.group_count(); ++i) {
    const double m = value_at(means, i), a = value_at(scales, i);
    for (int64_t k = 0; k < shape.channels; ++k) {
      const RunSums& s = sums[static_cast<size_t>(i * shape.channels + k)];
      const int64_t c = shape.channel(i, k);
      set_value(grad_weight, c, value_at(grad_weight, c) + a * (s.second - m * s.first));
      set_value(grad_bias, c, value_at(grad_bias, c) + s.first);
    }
  }
  if (output_mask[0]) grad_input = cast(grad_input, input.dtype());
  const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
  return {grad_input, output_mask[1] ? cast(grad_weight, parameter) : Tensor(),
          output_mask[2] ? cast(grad_bias, parameter) : Tensor()};
}

}  // namespace opweave::cpu
