// convolution and convolution_backward.
#include "opweave/kernels/cpu/convolution.h"

#include "kernels/cpu/common/lines.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/convolution/convolution_onednn.h"
#include "kernels/cpu/convolution/convolution_plain.h"
#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/convolution_backward.h"
#include "opweave/kernels/cpu/sum.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {
namespace {

// float16 and bfloat16 are computed in float32.
Tensor widened(const Tensor& t) { return t.defined() ? converted(t, rule::widened(t.dtype())) : t; }

bool is_empty(const plans::ConvolutionShape& shape) {
  auto has_zero = [](const DimVector& sizes) {
    return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  };
  return has_zero(shape.input) || has_zero(shape.weight) || has_zero(shape.output);
}

// Calls fill with a tensor in the dtype of computation, dense in an order that the kernel can
// write; it is `out` itself where that is one.
template <class Fill>
void fill_widened(Tensor& out, Fill fill) {
  const bool plain = out.dtype() == kDouble || !is_floating(out.dtype());
  if (out.dtype() == kFloat || (plain && out.is_contiguous())) return fill(out);
  const ScalarType dtype = plain ? out.dtype() : kFloat;
  Tensor target = plain ? make_tensor(out.sizes(), dtype, kCPU)
                        : make_tensor_strided(out.sizes(), out.strides(), dtype, kCPU);
  fill(target);
  copy_elements(out, target);
}

// Calls `fill` with contiguous memory for `out`.
template <class Fill>
void fill_contiguous(Tensor& out, Fill fill) {
  if (out.is_contiguous()) return fill(out);
  Tensor dense = make_tensor(out.sizes(), out.dtype(), out.device());
  fill(dense);
  copy_elements(out, dense);
}

// The three passes over float32 (oneDNN, where it can) or any other dtype.
void forward(const plans::ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
             const Tensor& bias, Tensor& out) {
  if (input.dtype() == kFloat && onednn_convolution(shape, input, weight, bias, out)) return;
  const Dense x(input), w(weight);
  fill_contiguous(out, [&](Tensor& to) { plain_convolution(shape, x, w, bias, to); });
}
void data_gradient(const plans::ConvolutionShape& shape, const Tensor& grad, const Tensor& weight,
                   Tensor& out) {
  if (grad.dtype() == kFloat && onednn_convolution_data(shape, grad, weight, out)) return;
  const Dense g(grad), w(weight);
  fill_contiguous(out, [&](Tensor& to) { plain_convolution_data(shape, g, w, to); });
}
void weight_gradient(const plans::ConvolutionShape& shape, const Tensor& grad, const Tensor& input,
                     Tensor& out) {
  if (grad.dtype() == kFloat && onednn_convolution_weight(shape, grad, input, out)) return;
  const Dense g(grad), x(input);
  fill_contiguous(out, [&](Tensor& to) { plain_convolution_weight(shape, g, x, to); });
}

void add_bias(Tensor& out, const Tensor& bias) {
  if (!bias.defined()) return;
  // Channels as lines of the others, whatever lies innermost.
  const plans::Lines lines(out, out.strides(), 1);
  visit_dtype("convolution", out.dtype(), [&]<class T>(TypeTag<T>) {
    T* const to = static_cast<T*>(out.raw_data());
    const T* const from = static_cast<const T*>(bias.raw_data());
    const int64_t step = bias.strides()[0];
    for_lines(lines, [&] {
      return [&](int64_t, int64_t at) {
        for (int64_t c = 0; c < lines.n; ++c) {
          T& element = to[at + c * lines.out_stride];
          element = static_cast<T>(element + from[c * step]);
        }
      };
    });
  });
}

void compute(const plans::ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
             const Tensor& bias, bool transposed, Tensor& out) {
  if (is_empty(shape)) {
    fill_elements(out, 0);
    return add_bias(out, bias);
  }
  if (!transposed) return forward(shape, input, weight, bias, out);
  data_gradient(shape, input, weight, out);
  add_bias(out, bias);
}

void bias_gradient(const Tensor& grad, Tensor& out) {
  DimVector dims{0};
  for (int64_t d = 2; d < grad.dim(); ++d) dims.push_back(d);
  sum_dim_IntList(grad, IntList(dims), /*keepdim=*/false, std::nullopt, out);
}

}  // namespace

void convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                 IntList padding, IntList dilation, bool transposed, IntList /*output_padding*/,
                 int64_t groups, Tensor& out) {
  const plans::ConvolutionShape shape =
      plans::convolution_shape(input, weight, out, {stride, padding, dilation, transposed, groups});
  fill_widened(out, [&](Tensor& target) {
    compute(shape, widened(input), widened(weight), widened(bias), transposed, target);
  });
}

void convolution_backward(const Tensor& grad_output, const Tensor& input, const Tensor& weight,
                          std::optional<IntList> /*bias_sizes*/, IntList stride, IntList padding,
                          IntList dilation, bool transposed, IntList /*output_padding*/,
                          int64_t groups, std::array<bool, 3> output_mask, Tensor& grad_input,
                          Tensor& grad_weight, Tensor& grad_bias) {
  const plans::ConvolutionShape shape = plans::convolution_shape(
      input, weight, grad_output, {stride, padding, dilation, transposed, groups});
  if (output_mask[2]) bias_gradient(grad_output, grad_bias);
  if (is_empty(shape)) {
    if (output_mask[0]) fill_elements(grad_input, 0);
    if (output_mask[1]) fill_elements(grad_weight, 0);
    return;
  }
  const Tensor g = widened(grad_output), x = widened(input), w = widened(weight);
  if (output_mask[0]) {
    fill_widened(grad_input, [&](Tensor& target) {
      transposed ? forward(shape, g, w, Tensor(), target) : data_gradient(shape, g, w, target);
    });
  }
  if (output_mask[1]) {
    fill_widened(grad_weight, [&](Tensor& target) {
      transposed ? weight_gradient(shape, x, g, target) : weight_gradient(shape, g, x, target);
    });
  }
}

}  // namespace opweave::cpu
