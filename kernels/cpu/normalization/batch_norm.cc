// native_batch_norm and its gradients.
#include <cmath>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/normalization/norm_common.h"
#include "kernels/cpu/reduction/reduce_moments.h"
#include "opweave/kernels/cpu/native_batch_norm.h"
#include "opweave/kernels/cpu/native_batch_norm_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Samples × channels × elements of a channel.
struct Shape {
  int64_t samples, channels, plane = 1;

  explicit Shape(const Tensor& t) : samples(t.sizes()[0]), channels(t.sizes()[1]) {
    for (int64_t d = 2; d < t.dim(); ++d) plane *= t.sizes()[d];
  }
  // The same where the channels lie together: every place is a sample of one element a channel.
  Shape channels_last() const { return Shape(samples * plane, channels); }
  int64_t per_channel() const { return samples * plane; }
  int64_t offset(int64_t n, int64_t c) const { return (n * channels + c) * plane; }

 private:
  Shape(int64_t samples, int64_t channels) : samples(samples), channels(channels) {}
};

// The statistics of this batch; `variance` is the biased one.
struct Statistics {
  std::vector<double> mean, variance;
  explicit Statistics(int64_t channels)
      : mean(static_cast<size_t>(channels)), variance(static_cast<size_t>(channels)) {}
};

Statistics batch_statistics(const Tensor& x, const Shape& shape) {
  Statistics result(shape.channels);
  DimMask mask = every_dim(x.dim());
  mask.reset(1);
  reduce(x, mask, moments_kernel(x.dtype()),
         [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
           for (int64_t i = 0; i < n; ++i) {
             const Moments& m = static_cast<const Moments*>(states)[i];
             const auto c = static_cast<size_t>(begin + i * stride);
             result.mean[c] = m.mean;
             result.variance[c] = m.squares / m.count;
           }
         });
  return result;
}

Statistics running_statistics(const Tensor& mean, const Tensor& variance, int64_t channels) {
  Statistics result(channels);
  for (int64_t c = 0; c < channels; ++c) {
    result.mean[static_cast<size_t>(c)] = value_at(mean, c);
    result.variance[static_cast<size_t>(c)] = value_at(variance, c);
  }
  return result;
}

void blend(const Tensor& running, int64_t c, double value, double momentum) {
  visit_floating("batch_norm", running.dtype(), [&]<class T>(TypeTag<T>) {
    T& old = static_cast<T*>(running.raw_data())[c * running.strides()[0]];
    old = static_cast<T>((1 - momentum) * static_cast<double>(old) + momentum * value);
  });
}

void update_running(const Statistics& s, const Shape& shape, const Tensor& mean,
                    const Tensor& variance, double momentum) {
  if (shape.per_channel() == 0) return;
  const double n = static_cast<double>(shape.per_channel());
  for (int64_t c = 0; c < shape.channels; ++c) {
    const auto i = static_cast<size_t>(c);
    if (mean.defined()) blend(mean, c, s.mean[i], momentum);
    if (variance.defined()) blend(variance, c, s.variance[i] * n / (n - 1), momentum);
  }
}

// Runs plane(channel, offset) for all planes, a thread for a range of channels; where a plane is
// one element, row(offset) for all samples instead.
template <class Plane, class Row>
void for_planes(const Shape& shape, Plane&& plane, Row&& row) {
  if (shape.plane == 1) {
    for (int64_t n = 0; n < shape.samples; ++n) row(shape.offset(n, 0));
    return;
  }
  const int64_t grain = kGrainSize / std::max<int64_t>(shape.per_channel(), 1) + 1;
  parallel_for(0, shape.channels, grain, [&](int64_t from, int64_t to) {
    for (int64_t n = 0; n < shape.samples; ++n) {
      for (int64_t c = from; c < to; ++c) plane(c, shape.offset(n, c));
    }
  });
}

Tensor channel_tensor(const Shape& shape, ScalarType dtype) {
  return make_tensor(IntList{shape.channels}, dtype, kCPU);
}

// out = a x + b with a and b per channel.
void apply(const Tensor& x, const Tensor& out, const Shape& shape, const Tensor& a,
           const Tensor& b) {
  const NormKernel kernel = norm_kernel(x.dtype());
  for_planes(
      shape,
      [&](int64_t c, int64_t at) {
        kernel.affine(element_at(x, at), element_at(out, at), shape.plane, value_at(a, c),
                      value_at(b, c));
      },
      [&](int64_t at) {
        kernel.affine_each(element_at(x, at), element_at(out, at), shape.channels, a.raw_data(),
                           b.raw_data());
      });
}

// out = a g + b x + c with a, b and c per channel.
void apply2(const Tensor& g, const Tensor& x, const Tensor& out, const Shape& shape,
            const Tensor& a, const Tensor& b, const Tensor& c) {
  const NormKernel kernel = norm_kernel(x.dtype());
  for_planes(
      shape,
      [&](int64_t i, int64_t at) {
        kernel.affine2(element_at(g, at), element_at(x, at), element_at(out, at), shape.plane,
                       value_at(a, i), value_at(b, i), value_at(c, i));
      },
      [&](int64_t at) {
        kernel.affine2_each(element_at(g, at), element_at(x, at), element_at(out, at),
                            shape.channels, a.raw_data(), b.raw_data(), c.raw_data());
      });
}

// Sums of g and g x of every channel.
std::vector<RunSums> channel_sums(const Tensor& g, const Tensor& x, const Shape& shape) {
  std::vector<RunSums> sums(static_cast<size_t>(shape.channels));
  const NormKernel kernel = norm_kernel(x.dtype());
  auto add = [&](int64_t c, double first, double second) {
    sums[static_cast<size_t>(c)].first += first;
    sums[static_cast<size_t>(c)].second += second;
  };
  for_planes(
      shape,
      [&](int64_t c, int64_t at) {
        const RunSums s = kernel.sums(element_at(g, at), element_at(x, at), shape.plane);
        add(c, s.first, s.second);
      },
      [&](int64_t at) {
        for (int64_t c = 0; c < shape.channels; ++c) {
          add(c, value_at(g, at + c), value_at(g, at + c) * value_at(x, at + c));
        }
      });
  return sums;
}

}  // namespace

void native_batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       const Tensor& running_mean, const Tensor& running_var, bool training,
                       double momentum, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  const ScalarType dtype = norm_dtype(input);
  // The result lies as the input does, which is walked so where that is possible.
  const bool last = !out.is_contiguous() && out.dtype() == dtype;
  const Tensor x = last ? input : norm_argument(input, dtype), w = norm_argument(weight, dtype);
  const Tensor shift = norm_argument(bias, dtype);
  const Shape shape = last ? Shape(x).channels_last() : Shape(x);
  const Statistics s = training
                           ? batch_statistics(x, shape)
                           : running_statistics(norm_argument(running_mean, dtype),
                                                norm_argument(running_var, dtype), shape.channels);
  if (training) update_running(s, shape, running_mean, running_var, momentum);
  Tensor a = channel_tensor(shape, dtype), b = channel_tensor(shape, dtype);
  for (int64_t c = 0; c < shape.channels; ++c) {
    const auto i = static_cast<size_t>(c);
    // A channel of one value stays finite without eps.
    const bool constant = training && s.variance[i] + eps == 0;
    const double scale = constant ? 0 : 1 / std::sqrt(s.variance[i] + eps);
    const double factor = scale * value_or(w, c, 1);
    set_value(a, c, factor);
    set_value(b, c, value_or(shift, c, 0) - s.mean[i] * factor);
    if (!training) continue;  // there are no statistics to keep
    set_value(mean, c, s.mean[i]);
    set_value(rstd, c, scale);
  }
  if (last) return apply(x, out, shape, a, b);
  WideResult result(out, dtype);
  apply(x, result.tensor(), shape, a, b);
  result.finish();
}

void native_batch_norm_backward(const Tensor& grad_out, const Tensor& input, const Tensor& weight,
                                const Tensor& running_mean, const Tensor& running_var,
                                const Tensor& save_mean, const Tensor& save_invstd, bool train,
                                double eps, std::array<bool, 3> /*output_mask*/, Tensor& grad_input,
                                Tensor& grad_weight, Tensor& grad_bias) {
  const ScalarType dtype = norm_dtype(input);
  const Tensor g = norm_argument(grad_out, dtype), x = norm_argument(input, dtype);
  const Tensor w = norm_argument(weight, dtype);
  const Tensor means = norm_argument(train ? save_mean : running_mean, dtype);
  const Tensor scales = norm_argument(train ? save_invstd : running_var, dtype);
  const Shape shape(x);
  WideResult to_input(grad_input, dtype), to_weight(grad_weight, dtype), to_bias(grad_bias, dtype);
  const std::vector<RunSums> sums = channel_sums(g, x, shape);
  Tensor a = channel_tensor(shape, dtype), b = channel_tensor(shape, dtype);
  Tensor c = channel_tensor(shape, dtype);
  for (int64_t i = 0; i < shape.channels; ++i) {
    const RunSums& s = sums[static_cast<size_t>(i)];
    const double m = value_at(means, i);
    const double scale = train ? value_at(scales, i) : 1 / std::sqrt(value_at(scales, i) + eps);
    const double products = scale * (s.second - m * s.first);  // sum of g x̂
    const double factor = scale * value_or(w, i, 1);
    const double n = static_cast<double>(shape.per_channel());
    const double slope = train ? -factor * scale * products / n : 0;
    set_value(a, i, factor);
    set_value(b, i, slope);
    set_value(c, i, train ? -factor * s.first / n - slope * m : 0);
    set_value(to_weight.tensor(), i, products);
    set_value(to_bias.tensor(), i, s.first);
  }
  if (grad_input.defined()) apply2(g, x, to_input.tensor(), shape, a, b, c);
  to_input.finish();
  to_weight.finish();
  to_bias.finish();
}

}  // namespace opweave::cpu
