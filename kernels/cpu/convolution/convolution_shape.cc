// Checks and shapes of convolutions.
#include "kernels/cpu/convolution/convolution_shape.h"

#include <algorithm>

namespace opweave::cpu {
namespace {

DimVector expanded(IntList values, size_t n, std::string_view name) {
  OW_CHECK(values.size() == 1 || values.size() == n, "expected ", name,
           " to be a single integer value or a list of ", n,
           " values to match the convolution dimensions, but got ", name, "=", values);
  DimVector result;
  for (size_t i = 0; i < n; ++i) result.push_back(values[values.size() == 1 ? 0 : i]);
  return result;
}

bool any_of(const DimVector& values, int64_t below) {
  return std::any_of(values.begin(), values.end(), [&](int64_t v) { return v < below; });
}

void check_options(const ConvolutionShape& shape) {
  OW_CHECK(!any_of(shape.padding, 0), "negative padding is not supported");
  OW_CHECK(!any_of(shape.stride, 1), "non-positive stride is not supported");
  OW_CHECK(!any_of(shape.dilation, 1), "dilation should be greater than zero, but got ",
           IntList(shape.dilation));
  OW_CHECK(shape.groups > 0, "non-positive groups is not supported");
}

void check_channels(const Tensor& input, const Tensor& weight, IntList bias_sizes, bool has_bias,
                    const ConvolutionOptions& options) {
  const int64_t groups = options.groups;
  const IntList w = weight.sizes();
  const std::string given = options.transposed ? str("transposed=1") : str("groups=", groups);
  OW_CHECK(w[0] % groups == 0 && w[0] >= groups, "Given ", given,
           options.transposed ? str(", groups=", groups) : str(), ", expected weight to be ",
           "divisible by ", groups, " at dimension 0, but got weight of size [", w, "] instead");
  const int64_t wanted = options.transposed ? w[0] : w[1] * groups;
  OW_CHECK(input.size(1) == wanted, "Given ", given, ", weight of size ", w, ", expected input",
           input.sizes(), " to have ", wanted, " channels, but got ", input.size(1),
           " channels instead");
  const int64_t outputs = options.transposed ? w[1] * groups : w[0];
  OW_CHECK(!has_bias || (bias_sizes.size() == 1 && bias_sizes[0] == outputs), "Given ",
           options.transposed ? "transposed=1, " : "", "weight of size ", w,
           ", expected bias to be 1-dimensional with ", outputs, " elements, but got bias of size ",
           bias_sizes, " instead");
}

std::string joined(const DimVector& values) {
  std::string text;
  for (int64_t v : values) text += (text.empty() ? "" : " x ") + std::to_string(v);
  return text;
}

// The result's spatial sizes of a forward convolution.
void complete_forward(ConvolutionShape& shape, const Tensor& input) {
  shape.input = DimVector(input.sizes());
  shape.output = {shape.input[0], shape.weight[0]};
  DimVector padded, kernels;
  bool fits = true;
  for (size_t i = 0; i < shape.spatial(); ++i) {
    padded.push_back(shape.input[i + 2] + 2 * shape.padding[i]);
    kernels.push_back(shape.dilation[i] * (shape.weight[i + 2] - 1) + 1);
    fits &= padded[i] >= kernels[i];
  }
  OW_CHECK(fits, "Calculated padded input size per channel: (", joined(padded), "). Kernel size: (",
           joined(kernels), "). Kernel size can't be greater than actual input size");
  for (size_t i = 0; i < shape.spatial(); ++i) {
    shape.output.push_back((padded[i] - kernels[i]) / shape.stride[i] + 1);
  }
}

void complete_transposed(ConvolutionShape& shape, const Tensor& input, IntList output_padding) {
  const DimVector extra = expanded(output_padding, shape.spatial(), "output_padding");
  shape.output = DimVector(input.sizes());
  shape.input = {shape.output[0], shape.weight[1] * shape.groups};
  for (size_t i = 0; i < shape.spatial(); ++i) {
    OW_CHECK(extra[i] < shape.stride[i] || extra[i] < shape.dilation[i],
             "output padding must be smaller than either stride or dilation, but got "
             "output_padding: ",
             IntList(extra), " stride: ", IntList(shape.stride),
             " dilation: ", IntList(shape.dilation));
    const int64_t size = (shape.output[i + 2] - 1) * shape.stride[i] - 2 * shape.padding[i] +
                         shape.dilation[i] * (shape.weight[i + 2] - 1) + extra[i] + 1;
    OW_CHECK(size >= 1, "Given input size per channel: (", joined(shape.output),
             "). Calculated output size per channel: ", size, ". Output size is too small");
    shape.input.push_back(size);
  }
}

}  // namespace

ConvolutionShape convolution_shape(const Tensor& input, const Tensor& weight, IntList bias_sizes,
                                   bool has_bias, const ConvolutionOptions& options) {
  OW_CHECK(weight.dim() >= 3 && weight.dim() <= 5,
           "convolution expects a weight with 1 to 3 spatial dimensions, but got one of size ",
           weight.sizes());
  OW_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim(), "-dimensional input for ",
           weight.dim(), "-dimensional weight ", weight.sizes(), ", but got ", input.dim(),
           "-dimensional input of size ", input.sizes(), " instead");
  ConvolutionShape shape;
  const size_t n = static_cast<size_t>(weight.dim()) - 2;
  shape.stride = expanded(options.stride, n, "stride");
  shape.padding = expanded(options.padding, n, "padding");
  shape.dilation = expanded(options.dilation, n, "dilation");
  shape.groups = options.groups;
  shape.weight = DimVector(weight.sizes());
  check_options(shape);
  check_channels(input, weight, bias_sizes, has_bias, options);
  if (options.transposed) {
    complete_transposed(shape, input, options.output_padding);
  } else {
    complete_forward(shape, input);
  }
  return shape;
}

}  // namespace opweave::cpu
