// native_group_norm and its gradients.
#include <cmath>
#include <vector>

#include "kernels/cpu/normalization/norm_common.h"
#include "kernels/plans/group_shape.h"
#include "opweave/kernels/cpu/native_group_norm.h"
#include "opweave/kernels/cpu/native_group_norm_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

int64_t grain(const plans::GroupShape& shape) {
  return kGrainSize / std::max<int64_t>(shape.group_size(), 1) + 1;
}

// What the three gradients are computed from, in one dtype.
struct Backward {
  Tensor g, x, w, means, scales;
  plans::GroupShape shape;
  NormKernel kernel;

  // Sums of g and g x of every channel of every sample.
  std::vector<RunSums> sums() const {
    std::vector<RunSums> sums(static_cast<size_t>(shape.group_count() * shape.channels));
    parallel_for(0, shape.group_count(), grain(shape), [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        for (int64_t k = 0; k < shape.channels; ++k) {
          const int64_t at = shape.offset(i, k);
          sums[static_cast<size_t>(i * shape.channels + k)] =
              kernel.sums(element_at(g, at), element_at(x, at), shape.plane);
        }
      }
    });
    return sums;
  }

  void input(const std::vector<RunSums>& sums, Tensor& out) const {
    parallel_for(0, shape.group_count(), grain(shape), [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) input_of_group(i, sums, out);
    });
  }

  void input_of_group(int64_t i, const std::vector<RunSums>& sums, Tensor& out) const {
    RunSums total;  // of g w and g w x
    for (int64_t k = 0; k < shape.channels; ++k) {
      const RunSums& s = sums[static_cast<size_t>(i * shape.channels + k)];
      const double factor = value_or(w, shape.channel(i, k), 1);
      total.first += factor * s.first;
      total.second += factor * s.second;
    }
    const double m = value_at(means, i), a = value_at(scales, i);
    const double n = static_cast<double>(shape.group_size());
    const double slope = -a * a * a * (total.second - m * total.first) / n;
    for (int64_t k = 0; k < shape.channels; ++k) {
      const int64_t at = shape.offset(i, k);
      kernel.affine2(element_at(g, at), element_at(x, at), element_at(out, at), shape.plane,
                     a * value_or(w, shape.channel(i, k), 1), slope,
                     -a * total.first / n - slope * m);
    }
  }

  // Either may be undefined.
  void parameters(const std::vector<RunSums>& sums, Tensor& weight, Tensor& bias) const {
    fill_zeros(weight);
    fill_zeros(bias);
    if (!weight.defined() && !bias.defined()) return;
    for (int64_t i = 0; i < shape.group_count(); ++i) {
      const double m = value_at(means, i), a = value_at(scales, i);
      for (int64_t k = 0; k < shape.channels; ++k) {
        const RunSums& s = sums[static_cast<size_t>(i * shape.channels + k)];
        const int64_t c = shape.channel(i, k);
        add_value(weight, c, a * (s.second - m * s.first));
        add_value(bias, c, s.first);
      }
    }
  }
};

}  // namespace

void native_group_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t N,
                       int64_t C, int64_t HxW, int64_t group, double eps, Tensor& out, Tensor& mean,
                       Tensor& rstd) {
  const ScalarType dtype = norm_dtype(input);
  const Tensor x = norm_argument(input, dtype), w = norm_argument(weight, dtype);
  const Tensor b = norm_argument(bias, dtype);
  const plans::GroupShape shape{N, group, C / group, HxW};
  WideResult result(out, dtype);
  const Tensor& y = result.tensor();
  const NormKernel kernel = norm_kernel(dtype);
  parallel_for(0, shape.group_count(), grain(shape), [&](int64_t from, int64_t to) {
    for (int64_t g = from; g < to; ++g) {
      const RunSums m = kernel.moments(element_at(x, shape.offset(g, 0)), shape.group_size());
      const double scale = 1 / std::sqrt(m.second / static_cast<double>(shape.group_size()) + eps);
      for (int64_t k = 0; k < shape.channels; ++k) {
        const int64_t c = shape.channel(g, k), at = shape.offset(g, k);
        const double factor = scale * value_or(w, c, 1);
        kernel.affine(element_at(x, at), element_at(y, at), shape.plane, factor,
                      value_or(b, c, 0) - m.first * factor);
      }
      set_value(mean, g, m.first);
      set_value(rstd, g, scale);
    }
  });
  result.finish();
}

void native_group_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& mean,
                                const Tensor& rstd, const Tensor& weight, int64_t N, int64_t C,
                                int64_t HxW, int64_t group, std::array<bool, 3> /*output_mask*/,
                                Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  if (input.numel() == 0) {  // of any shape: sizes beside a 0 may be of any length
    fill_zeros(grad_weight);
    return fill_zeros(grad_bias);
  }
  const ScalarType dtype = norm_dtype(input);
  WideResult to_input(grad_input, dtype), to_weight(grad_weight, dtype), to_bias(grad_bias, dtype);
  const Backward backward{norm_argument(grad_out, dtype),
                          norm_argument(input, dtype),
                          norm_argument(weight, dtype),
                          norm_argument(mean, dtype),
                          norm_argument(rstd, dtype),
                          plans::GroupShape{N, group, C / group, HxW},
                          norm_kernel(dtype)};
  const std::vector<RunSums> sums = backward.sums();
  if (grad_input.defined()) backward.input(sums, to_input.tensor());
  backward.parameters(sums, to_weight.tensor(), to_bias.tensor());
  to_input.finish();
  to_weight.finish();
  to_bias.finish();
}

}  // namespace opweave::cpu
