// Convolutions of float32 tensors by oneDNN.
#pragma once

#include "kernels/cpu/convolution/convolution_shape.h"

namespace opweave::cpu {

// Results are of the shape's sizes, in channels-last order where the argument that runs over the
// same batch is. `bias` may be undefined.
Tensor onednn_convolution(const ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
                          const Tensor& bias);
Tensor onednn_convolution_data(const ConvolutionShape& shape, const Tensor& grad_output,
                               const Tensor& weight);
Tensor onednn_convolution_weight(const ConvolutionShape& shape, const Tensor& grad_output,
                                 const Tensor& input);

}  // namespace opweave::cpu
