// Normalisations: checks around the native kernels, and gradients that can be differentiated.
#include <algorithm>

#include "kernels/composite/recording.h"
#include "kernels/composite/reduced_dims.h"
#include "opweave/kernels/composite/batch_norm_gradients.h"
#include "opweave/kernels/composite/group_norm.h"
#include "opweave/kernels/composite/group_norm_gradients.h"
#include "opweave/kernels/composite/instance_norm.h"
#include "opweave/kernels/composite/layer_norm_gradients.h"
#include "opweave/kernels/composite/rms_norm_gradients.h"
#include "opweave/ops/add.h"
#include "opweave/ops/batch_norm.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mean.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/native_batch_norm_backward.h"
#include "opweave/ops/native_group_norm.h"
#include "opweave/ops/native_group_norm_backward.h"
#include "opweave/ops/native_layer_norm_backward.h"
#include "opweave/ops/repeat.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/rms_norm_rows_backward.h"
#include "opweave/ops/rsqrt.h"
#include "opweave/ops/square.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"

namespace opweave::composite {
namespace {

Tensor mean_over(const Tensor& x, IntList dims) { return ops::mean_dim::call(x, dims, true, {}); }
Tensor sum_over(const Tensor& x, IntList dims) {
  return ops::sum_dim_IntList::call(x, dims, false, {});
}

// x with mean 0 and variance 1 over `dims`, and what it was multiplied by, both in terms of x.
struct Normalized {
  Tensor value, scale;

  // With `keeps_constants` what has no variance is multiplied by 0, as in batch_norm.
  Normalized(const Tensor& x, IntList dims, double eps, bool keeps_constants = false) {
    const Tensor centered = opweave::sub(x, mean_over(x, dims));
    const Tensor variance = mean_over(opweave::square(centered), dims);
    scale = opweave::rsqrt(opweave::add(variance, Scalar(eps)));
    if (keeps_constants && eps == 0)
      scale = opweave::masked_fill(scale, opweave::eq(variance, Scalar(0)), 0);
    value = opweave::mul(centered, scale);
  }

  // The gradient of x for a gradient of the value.
  Tensor gradient(const Tensor& grad, IntList dims) const {
    const Tensor along = opweave::mul(value, mean_over(opweave::mul(grad, value), dims));
    return opweave::mul(scale, opweave::sub(opweave::sub(grad, mean_over(grad, dims)), along));
  }
};

Tensor weighted(const Tensor& x, const Tensor& weight) {
  return weight.defined() ? opweave::mul(x, weight) : x;
}

// One value per channel, shaped to broadcast over an input.
Tensor per_channel(const Tensor& t, int64_t ndim) {
  if (!t.defined()) return t;
  DimVector sizes(static_cast<size_t>(ndim), 1);
  sizes[1] = t.numel();
  return opweave::view(t, sizes);
}

DimVector all_but_channels(int64_t ndim) {
  DimVector dims{0};
  for (int64_t d = 2; d < ndim; ++d) dims.push_back(d);
  return dims;
}

using Gradients = std::tuple<Tensor, Tensor, Tensor>;

// Squares of what is far from the mean leave the range of 16 bits: then all is computed in
// float32.
Tensor widened(const Tensor& t) {
  if (!t.defined() || !is_reduced_float(t.dtype())) return t;
  return opweave::to(t, compute_dtype(t.dtype()));
}

Tensor narrowed(const Tensor& gradient, ScalarType dtype) {
  return gradient.defined() ? opweave::to(gradient, dtype) : gradient;
}

// The gradients of `widened` arguments in the dtypes of the arguments.
Gradients narrowed(const Gradients& wide, const Tensor& input, const Tensor& weight,
                   const Tensor& bias) {
  const auto& [of_input, of_weight, of_bias] = wide;
  const auto dtype_of = [&](const Tensor& t) { return t.defined() ? t.dtype() : input.dtype(); };
  return {narrowed(of_input, input.dtype()), narrowed(of_weight, dtype_of(weight)),
          narrowed(of_bias, dtype_of(bias))};
}

// The dimensions that a norm over the last ones normalises, and those before.
struct RowDims {
  DimVector dims, leading;

  RowDims(const Tensor& input, IntList normalized_shape) {
    const int64_t first = input.dim() - static_cast<int64_t>(normalized_shape.size());
    for (int64_t d = 0; d < input.dim(); ++d) (d < first ? leading : dims).push_back(d);
  }
  Tensor sum_of_rows(const Tensor& t) const { return leading.empty() ? t : sum_over(t, leading); }
};

}  // namespace

Gradients layer_norm_gradients(const Tensor& grad, const Tensor& input, IntList normalized_shape,
                               const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                               const Tensor& bias, double eps, std::array<bool, 3> output_mask) {
  if (!recording(grad, input, weight)) {
    return opweave::native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight,
                                               bias, output_mask);
  }
  if (is_reduced_float(input.dtype())) {
    const Gradients wide =
        layer_norm_gradients(widened(grad), widened(input), normalized_shape, mean, rstd,
                             widened(weight), bias, eps, output_mask);
    return narrowed(wide, input, weight, bias);
  }
  const RowDims rows(input, normalized_shape);
  const Normalized x(input, rows.dims, eps);
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = x.gradient(weighted(grad, weight), rows.dims);
  if (output_mask[1]) grad_weight = rows.sum_of_rows(opweave::mul(grad, x.value));
  if (output_mask[2]) grad_bias = rows.sum_of_rows(grad);
  return {grad_input, grad_weight, grad_bias};
}

std::tuple<Tensor, Tensor> rms_norm_gradients(const Tensor& grad, const Tensor& input,
                                              IntList normalized_shape, const Tensor& weight,
                                              double eps, std::array<bool, 2> output_mask) {
  if (!recording(grad, input, weight)) {
    return opweave::rms_norm_rows_backward(grad, input, normalized_shape, weight, eps, output_mask);
  }
  if (is_reduced_float(input.dtype())) {
    const auto [of_input, of_weight] = rms_norm_gradients(
        widened(grad), widened(input), normalized_shape, widened(weight), eps, output_mask);
    return {narrowed(of_input, input.dtype()),
            narrowed(of_weight, weight.defined() ? weight.dtype() : input.dtype())};
  }
  const RowDims rows(input, normalized_shape);
  const Tensor scale =
      opweave::rsqrt(opweave::add(mean_over(opweave::square(input), rows.dims), Scalar(eps)));
  const Tensor x = opweave::mul(input, scale), g = weighted(grad, weight);
  Tensor grad_input, grad_weight;
  if (output_mask[0]) {
    const Tensor along = opweave::mul(x, mean_over(opweave::mul(g, x), rows.dims));
    grad_input = opweave::mul(scale, opweave::sub(g, along));
  }
  if (output_mask[1]) grad_weight = rows.sum_of_rows(opweave::mul(grad, x));
  return {grad_input, grad_weight};
}

Gradients batch_norm_gradients(const Tensor& grad, const Tensor& input, const Tensor& weight,
                               const Tensor& running_mean, const Tensor& running_var,
                               const Tensor& save_mean, const Tensor& save_invstd, bool train,
                               double eps, std::array<bool, 3> output_mask) {
  if (!recording(grad, input, weight)) {
    return opweave::native_batch_norm_backward(grad, input, weight, running_mean, running_var,
                                               save_mean, save_invstd, train, eps, output_mask);
  }
  if (is_reduced_float(input.dtype())) {
    const Gradients wide =
        batch_norm_gradients(widened(grad), widened(input), widened(weight), widened(running_mean),
                             widened(running_var), save_mean, save_invstd, train, eps, output_mask);
    return narrowed(wide, input, weight, weight);
  }
  const DimVector dims = all_but_channels(input.dim());
  const Tensor g = weighted(grad, per_channel(weight, input.dim()));
  Tensor value, grad_input;
  if (train) {
    const Normalized x(input, dims, eps, /*keeps_constants=*/true);
    value = x.value;
    grad_input = x.gradient(g, dims);
  } else {
    const Tensor scale = opweave::rsqrt(opweave::add(running_var, Scalar(eps)));
    const Tensor factor = per_channel(scale, input.dim());
    value = opweave::mul(opweave::sub(input, per_channel(running_mean, input.dim())), factor);
    grad_input = opweave::mul(g, factor);
  }
  return {output_mask[0] ? grad_input : Tensor(),
          output_mask[1] ? sum_over(opweave::mul(grad, value), dims) : Tensor(),
          output_mask[2] ? sum_over(grad, dims) : Tensor()};
}

Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled) {
  OW_CHECK(use_input_stats || (running_mean.defined() && running_var.defined()),
           "Expected running_mean and running_var to be defined when use_input_stats is false");
  // Every sample's channels become channels of one sample.
  const int64_t samples = input.size(0), channels = input.size(1);
  DimVector sizes(input.sizes());
  sizes[0] = 1;
  sizes[1] = samples * channels;
  auto repeated = [&](const Tensor& t) {
    return t.defined() ? opweave::repeat(t, IntList{samples}) : t;
  };
  const Tensor mean = repeated(running_mean), variance = repeated(running_var);
  const Tensor out = opweave::batch_norm(opweave::reshape(opweave::contiguous(input), sizes),
                                         repeated(weight), repeated(bias), mean, variance,
                                         use_input_stats, momentum, eps, cudnn_enabled);
  auto average = [&](const Tensor& running, const Tensor& updated) {
    if (!running.defined() || !use_input_stats) return;
    const NoGradGuard no_grad;
    Tensor target = running;
    opweave::copy_(target, ops::mean_dim::call(opweave::view(updated, IntList{samples, channels}),
                                               IntList{0}, false, {}));
  };
  average(running_mean, mean);
  average(running_var, variance);
  return opweave::view(out, input.sizes());
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps, bool /*cudnn_enabled*/) {
  OW_CHECK(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ",
           input.dim());
  const int64_t samples = input.size(0), channels = input.size(1);
  OW_CHECK(num_groups > 0, "Expected num groups to be greater than 0, got ", num_groups);
  OW_CHECK(channels % num_groups == 0,
           "Expected number of channels in input to be divisible by num_groups, but got input of "
           "shape ",
           input.sizes(), " and num_groups=", num_groups);
  auto check = [&](std::string_view name, const Tensor& t) {
    OW_CHECK(!t.defined() || (t.dim() == 1 && t.numel() == channels), "Expected ", name,
             " to be a vector of size equal to the number of channels in input, but got ", name,
             " of shape ", t.defined() ? t.sizes() : IntList(), " and input of shape ",
             input.sizes());
  };
  check("weight", weight);
  check("bias", bias);
  int64_t plane = 1;
  for (int64_t d = 2; d < input.dim(); ++d) plane *= input.size(d);
  return std::get<0>(
      opweave::native_group_norm(input, weight, bias, samples, channels, plane, num_groups, eps));
}

namespace {

// What the statistics of groups, of sizes [N, group, elements], add to the gradient of the input.
Tensor through_statistics(const Normalized& x, const Tensor& grad_mean, const Tensor& grad_rstd) {
  const Scalar share = 1.0 / static_cast<double>(std::max<int64_t>(x.value.size(2), 1));
  const auto each = [&](const Tensor& grad) {
    return opweave::mul(opweave::unsqueeze(grad, 2), share);
  };
  Tensor sum = opweave::mul(x.value, Scalar(0));
  if (grad_mean.defined()) sum = opweave::add(sum, each(grad_mean));
  if (!grad_rstd.defined()) return sum;
  const Tensor slope = opweave::mul(opweave::square(x.scale), x.value);
  return opweave::sub(sum, opweave::mul(slope, each(grad_rstd)));
}

}  // namespace

Gradients group_norm_gradients(const Tensor& grad, const Tensor& grad_mean, const Tensor& grad_rstd,
                               const Tensor& input, const Tensor& mean, const Tensor& rstd,
                               const Tensor& weight, int64_t N, int64_t C, int64_t HxW,
                               int64_t group, double eps, std::array<bool, 3> output_mask) {
  const bool of_statistics = grad_mean.defined() || grad_rstd.defined();
  if (grad.defined() && !of_statistics && !recording(grad, input, weight)) {
    return opweave::native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group,
                                               output_mask);
  }
  if (is_reduced_float(input.dtype())) {
    const Gradients wide =
        group_norm_gradients(widened(grad), widened(grad_mean), widened(grad_rstd), widened(input),
                             mean, rstd, widened(weight), N, C, HxW, group, eps, output_mask);
    return narrowed(wide, input, weight, weight);
  }
  const Normalized x(opweave::reshape(input, IntList{N, group, C / group * HxW}), IntList{2}, eps);
  const Tensor value = opweave::reshape(x.value, input.sizes());
  const DimVector dims = all_but_channels(input.dim());
  Tensor grad_input;
  if (output_mask[0] && grad.defined()) {
    const Tensor g = weighted(grad, per_channel(weight, input.dim()));
    grad_input = x.gradient(opweave::reshape(g, x.value.sizes()), IntList{2});
  }
  if (output_mask[0] && of_statistics) {
    const Tensor added = through_statistics(x, grad_mean, grad_rstd);
    grad_input = grad_input.defined() ? opweave::add(grad_input, added) : added;
  }
  if (grad_input.defined()) grad_input = opweave::reshape(grad_input, input.sizes());
  const bool any = grad.defined();
  return {grad_input, any && output_mask[1] ? sum_over(opweave::mul(grad, value), dims) : Tensor(),
          any && output_mask[2] ? sum_over(grad, dims) : Tensor()};
}

}  // namespace opweave::composite
