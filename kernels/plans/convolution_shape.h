// ConvolutionShape: the geometry of one convolution, seen as the forward one it belongs to:
// the transposed convolution is the gradient of a convolution with the same weight.
#pragma once

#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {

struct ConvolutionShape {
  DimVector input;   // N, channels, spatial…
  DimVector weight;  // output channels, input channels per group, kernel…
  DimVector output;  // N, output channels, spatial…
  DimVector stride, padding, dilation;
  int64_t groups = 1;

  size_t spatial() const { return stride.size(); }
};

// Arguments of the operator `convolution`; one number stands for all spatial dimensions.
struct ConvolutionOptions {
  IntList stride, padding, dilation;
  bool transposed;
  int64_t groups;
};

// `result` has the sizes that the operator's rule has given it, after its checks. For a transposed
// convolution `input` of the shape is the result and `output` the argument.
ConvolutionShape convolution_shape(const Tensor& input, const Tensor& weight, const Tensor& result,
                                   const ConvolutionOptions& options);

}  // namespace opweave::plans
