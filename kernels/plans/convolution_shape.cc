// Shapes of convolutions.
#include "kernels/plans/convolution_shape.h"

namespace opweave::plans {
namespace {

// One number stands for all dimensions.
DimVector expanded(IntList values, size_t n) {
  return values.size() == 1 ? DimVector(n, values[0]) : DimVector(values);
}

}  // namespace

ConvolutionShape convolution_shape(const Tensor& input, const Tensor& weight, const Tensor& result,
                                   const ConvolutionOptions& options) {
  const size_t n = static_cast<size_t>(weight.dim()) - 2;
  ConvolutionShape shape;
  shape.input = options.transposed ? result.sizes() : input.sizes();
  shape.output = options.transposed ? input.sizes() : result.sizes();
  shape.weight = weight.sizes();
  shape.stride = expanded(options.stride, n);
  shape.padding = expanded(options.padding, n);
  shape.dilation = expanded(options.dilation, n);
  shape.groups = options.groups;
  return shape;
}

}  // namespace opweave::plans
