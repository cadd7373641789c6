// convolution and convolution_backward.
#include "opweave/kernels/cpu/convolution.h"

#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/convolution/convolution_onednn.h"
#include "kernels/cpu/convolution/convolution_plain.h"
#include "opweave/kernels/cpu/convolution_backward.h"
#include "opweave/ops/add.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/view.h"
#include "opweave/ops/zeros.h"

namespace opweave::cpu {
namespace {

std::string_view cpp_float_name(ScalarType t) { return t == kDouble ? "double" : "float"; }

void check_dtypes(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  OW_CHECK(input.dtype() == weight.dtype(), "expected scalar type ",
           scalar_type_name(input.dtype()), " but found ", scalar_type_name(weight.dtype()));
  if (!bias.defined() || bias.dtype() == input.dtype()) return;
  OW_THROW(ErrorKind::kRuntime, "Input type (", cpp_float_name(input.dtype()), ") and bias type (",
           cpp_float_name(bias.dtype()), ") should be the same");
}

// float16 and bfloat16 are computed in float32.
Tensor widened(const Tensor& t) {
  return t.defined() && is_reduced_float(t.dtype()) ? cast(t, kFloat) : t;
}

bool is_empty(const ConvolutionShape& shape) {
  auto has_zero = [](const DimVector& sizes) {
    return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  };
  return has_zero(shape.input) || has_zero(shape.weight) || has_zero(shape.output);
}

Tensor zeros_of(IntList sizes, ScalarType dtype) {
  return opweave::zeros(sizes, dtype, std::nullopt, kCPU);
}

// The three passes over float32 (oneDNN) or any other dtype.
Tensor forward(const ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
               const Tensor& bias) {
  if (input.dtype() == kFloat) return onednn_convolution(shape, input, weight, bias);
  return plain_convolution(shape, opweave::contiguous(input), opweave::contiguous(weight), bias);
}
Tensor data_gradient(const ConvolutionShape& shape, const Tensor& grad, const Tensor& weight) {
  if (grad.dtype() == kFloat) return onednn_convolution_data(shape, grad, weight);
  return plain_convolution_data(shape, opweave::contiguous(grad), opweave::contiguous(weight));
}
Tensor weight_gradient(const ConvolutionShape& shape, const Tensor& grad, const Tensor& input) {
  if (grad.dtype() == kFloat) return onednn_convolution_weight(shape, grad, input);
  return plain_convolution_weight(shape, opweave::contiguous(grad), opweave::contiguous(input));
}

Tensor with_bias(const Tensor& out, const Tensor& bias) {
  if (!bias.defined()) return out;
  DimVector sizes(static_cast<size_t>(out.dim()), 1);
  sizes[1] = bias.numel();
  return opweave::add(out, opweave::view(bias, sizes));
}

Tensor compute(const ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
               const Tensor& bias, bool transposed) {
  if (is_empty(shape)) {
    return with_bias(zeros_of(transposed ? shape.input : shape.output, input.dtype()), bias);
  }
  if (!transposed) return forward(shape, input, weight, bias);
  return with_bias(data_gradient(shape, input, weight), bias);
}

Tensor bias_gradient(const Tensor& grad) {
  DimVector dims{0};
  for (int64_t d = 2; d < grad.dim(); ++d) dims.push_back(d);
  return ops::sum_dim_IntList::call(grad, dims, false, {});
}

}  // namespace

Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                   IntList padding, IntList dilation, bool transposed, IntList output_padding,
                   int64_t groups) {
  const ConvolutionOptions options{stride, padding, dilation, transposed, output_padding, groups};
  const ConvolutionShape shape = convolution_shape(
      input, weight, bias.defined() ? bias.sizes() : IntList(), bias.defined(), options);
  check_dtypes(input, weight, bias);
  const Tensor out = compute(shape, widened(input), widened(weight), widened(bias), transposed);
  return cast(out, input.dtype());
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<IntList> bias_sizes, IntList stride, IntList padding, IntList dilation,
    bool transposed, IntList output_padding, int64_t groups, std::array<bool, 3> output_mask) {
  const ConvolutionOptions options{stride, padding, dilation, transposed, output_padding, groups};
  const ConvolutionShape shape = convolution_shape(input, weight, bias_sizes.value_or(IntList()),
                                                   bias_sizes.has_value(), options);
  const Tensor g = widened(grad_output), x = widened(input), w = widened(weight);
  Tensor grad_input, grad_weight, grad_bias;
  if (output_mask[2]) grad_bias = bias_gradient(grad_output);
  if (is_empty(shape)) {
    if (output_mask[0]) grad_input = zeros_of(input.sizes(), input.dtype());
    if (output_mask[1]) grad_weight = zeros_of(weight.sizes(), weight.dtype());
    return {grad_input, grad_weight, grad_bias};
  }
  if (output_mask[0]) {
    grad_input = transposed ? forward(shape, g, w, Tensor()) : data_gradient(shape, g, w);
    grad_input = cast(grad_input, input.dtype());
  }
  if (output_mask[1]) {
    grad_weight = transposed ? weight_gradient(shape, x, g) : weight_gradient(shape, g, x);
    grad_weight = cast(grad_weight, weight.dtype());
  }
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace opweave::cpu
