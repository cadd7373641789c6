// Convolutions by number of dimensions, and the gradient of a convolution by convolutions.
#include "opweave/ops/convolution.h"

#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/conv1d.h"
#include "opweave/kernels/composite/conv2d.h"
#include "opweave/kernels/composite/conv3d.h"
#include "opweave/kernels/composite/conv_tbc.h"
#include "opweave/kernels/composite/conv_transpose1d.h"
#include "opweave/kernels/composite/conv_transpose2d.h"
#include "opweave/kernels/composite/conv_transpose3d.h"
#include "opweave/kernels/composite/convolution_gradients.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/constant_pad_nd.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/conv1d.h"
#include "opweave/ops/convolution_backward.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/permute.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/transpose.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/rules/checked_arithmetic.h"

namespace opweave::composite {
namespace {

struct Options {
  IntList stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;
};

Tensor convolve(const Tensor& input, const Tensor& weight, const Tensor& bias, const Options& o) {
  return opweave::convolution(input, weight, bias, o.stride, o.padding, o.dilation, o.transposed,
                              o.output_padding, o.groups);
}

bool is_batched(std::string_view op, const Tensor& input, int64_t spatial) {
  const int64_t batched = spatial + 2;
  OW_CHECK(input.dim() == batched || input.dim() == batched - 1, "Expected ", batched - 1,
           "D (unbatched) or ", batched, "D (batched) input to ", op,
           ", but got input of size: ", input.sizes());
  return input.dim() == batched;
}

Tensor convolve_nd(std::string_view op, int64_t spatial, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, const Options& options) {
  if (is_batched(op, input, spatial)) return convolve(input, weight, bias, options);
  const Tensor batch = opweave::unsqueeze(input, 0);
  return ops::squeeze_dim::call(convolve(batch, weight, bias, options), 0);
}

Tensor convolve_forward(std::string_view op, int64_t spatial, const Tensor& input,
                        const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                        IntList dilation, int64_t groups) {
  const DimVector none(static_cast<size_t>(spatial));
  return convolve_nd(op, spatial, input, weight, bias,
                     {stride, padding, dilation, none, false, groups});
}

int64_t entry(IntList values, size_t i) { return values[values.size() == 1 ? 0 : i]; }

// Padding 'same': what cannot be divided evenly is added at the end beforehand.
Tensor convolve_same(std::string_view op, int64_t spatial, const Tensor& input,
                     const Tensor& weight, const Tensor& bias, IntList stride, IntList dilation,
                     int64_t groups) {
  OW_CHECK(weight.dim() == spatial + 2, op, ": expected a weight of ", spatial + 2,
           " dimensions, but got one of size ", weight.sizes());
  for (int64_t s : stride) {
    OW_CHECK(s == 1, op,
             ": padding='same' is not supported for strided convolutions, got stride=", stride);
  }
  DimVector padding, extra;
  bool even = true;
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    const int64_t total = checked_mul(entry(dilation, i), weight.sizes()[i + 2] - 1, op);
    padding.push_back(total / 2);
    even &= total % 2 == 0;
  }
  for (size_t i = static_cast<size_t>(spatial); i-- > 0;) {
    extra.push_back(0);
    extra.push_back(entry(dilation, i) * (weight.sizes()[i + 2] - 1) % 2);
  }
  const Tensor x = even ? input : opweave::constant_pad_nd(input, extra);
  return convolve_forward(op, spatial, x, weight, bias, stride, padding, dilation, groups);
}

Tensor convolve_padding(std::string_view op, int64_t spatial, const Tensor& input,
                        const Tensor& weight, const Tensor& bias, IntList stride,
                        std::string_view padding, IntList dilation, int64_t groups) {
  if (padding == "same") {
    return convolve_same(op, spatial, input, weight, bias, stride, dilation, groups);
  }
  OW_CHECK(padding == "valid", "Invalid padding string: '", padding, "'");
  return convolve_forward(op, spatial, input, weight, bias, stride, IntList{0}, dilation, groups);
}

// The spatial sizes cut down to those of another tensor.
Tensor cut_to(Tensor t, IntList sizes) {
  for (size_t d = 2; d < sizes.size(); ++d) {
    if (t.sizes()[d] != sizes[d]) t = opweave::narrow(t, static_cast<int64_t>(d), 0, sizes[d]);
  }
  return t;
}

// The gradient of an input: the transposed convolution, padded to the input's size; or the
// convolution, which has windows of its own in an output padding of a stride or more.
Tensor input_gradient(const Tensor& grad, const Tensor& input, const Tensor& weight,
                      const Options& options) {
  Options o = options;
  o.transposed = !options.transposed;
  DimVector extra(static_cast<size_t>(input.dim() - 2));
  for (size_t i = 0; o.transposed && i < extra.size(); ++i) {
    const int64_t reached = (grad.sizes()[i + 2] - 1) * entry(o.stride, i) -
                            2 * entry(o.padding, i) +
                            entry(o.dilation, i) * (weight.sizes()[i + 2] - 1) + 1;
    extra[i] = input.sizes()[i + 2] - reached;
  }
  o.output_padding = extra;
  return cut_to(convolve(grad, weight, Tensor(), o), input.sizes());
}

// The gradient of a weight: the input convolved with the gradient, batch and channels exchanged,
// stride and dilation as well.
Tensor weight_gradient(const Tensor& input, const Tensor& grad, IntList weight_sizes,
                       const Options& options) {
  const int64_t groups = options.groups;
  const int64_t ins = input.size(1) / groups, outs = grad.size(1) / groups;
  const DimVector none(weight_sizes.size() - 2);
  const Options exchanged{options.dilation, options.padding, options.stride, none, false, 1};
  std::vector<Tensor> parts;
  for (int64_t g = 0; g < groups; ++g) {
    const Tensor x = opweave::transpose(opweave::narrow(input, 1, g * ins, ins), 0, 1);
    const Tensor y = opweave::transpose(opweave::narrow(grad, 1, g * outs, outs), 0, 1);
    parts.push_back(
        cut_to(opweave::transpose(convolve(x, y, Tensor(), exchanged), 0, 1), weight_sizes));
  }
  return groups == 1 ? parts[0] : opweave::cat(parts, 0);
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> convolution_gradients(const Tensor& grad, const Tensor& input,
                                                         const Tensor& weight, const Tensor& bias,
                                                         IntList stride, IntList padding,
                                                         IntList dilation, bool transposed,
                                                         IntList output_padding, int64_t groups,
                                                         std::array<bool, 3> output_mask) {
  if (!recording(grad, input, weight)) {
    const auto bias_sizes =
        bias.defined() ? std::optional<IntList>(bias.sizes()) : std::optional<IntList>();
    return opweave::convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation,
                                         transposed, output_padding, groups, output_mask);
  }
  const Options options{stride, padding, dilation, output_padding, transposed, groups};
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[0]) grad_input = input_gradient(grad, input, weight, options);
  if (output_mask[1]) {
    grad_weight = transposed ? weight_gradient(grad, input, weight.sizes(), options)
                             : weight_gradient(input, grad, weight.sizes(), options);
  }
  // The channels first, then the sum of each.
  if (output_mask[2])
    grad_bias = opweave::sum(opweave::flatten(opweave::transpose(grad, 0, 1), 1), IntList{1});
  return {grad_input, grad_weight, grad_bias};
}

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
              IntList padding, IntList dilation, int64_t groups) {
  return convolve_forward("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
              IntList padding, IntList dilation, int64_t groups) {
  return convolve_forward("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
              IntList padding, IntList dilation, int64_t groups) {
  return convolve_forward("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv1d_padding(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                      std::string_view padding, IntList dilation, int64_t groups) {
  return convolve_padding("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d_padding(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                      std::string_view padding, IntList dilation, int64_t groups) {
  return convolve_padding("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d_padding(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                      std::string_view padding, IntList dilation, int64_t groups) {
  return convolve_padding("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                        IntList stride, IntList padding, IntList output_padding, int64_t groups,
                        IntList dilation) {
  return convolve_nd("conv_transpose1d", 1, input, weight, bias,
                     {stride, padding, dilation, output_padding, true, groups});
}
Tensor conv_transpose2d_input(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              IntList stride, IntList padding, IntList output_padding,
                              int64_t groups, IntList dilation) {
  return convolve_nd("conv_transpose2d", 2, input, weight, bias,
                     {stride, padding, dilation, output_padding, true, groups});
}
Tensor conv_transpose3d_input(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              IntList stride, IntList padding, IntList output_padding,
                              int64_t groups, IntList dilation) {
  return convolve_nd("conv_transpose3d", 3, input, weight, bias,
                     {stride, padding, dilation, output_padding, true, groups});
}

Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  const Tensor rows = opweave::permute(self, IntList{1, 2, 0});
  const Tensor filters = opweave::permute(weight, IntList{2, 1, 0});
  const Tensor found = opweave::conv1d(rows, filters, bias, IntList{1}, IntList{pad});
  return opweave::contiguous(opweave::permute(found, IntList{2, 0, 1}));
}

}  // namespace opweave::composite
