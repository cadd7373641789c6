// Convolutions of float32 tensors by oneDNN.
#pragma once

#include "kernels/plans/convolution_shape.h"

namespace opweave::cpu {

// `out` has the shape's sizes. It is in channels-last order, or else contiguous, as the argument
// that runs over the same batch is; the gradient of a weight is contiguous. `bias` may be
// undefined. False, and nothing is written, where oneDNN has no kernel for the shape.
bool onednn_convolution(const plans::ConvolutionShape& shape, const Tensor& input,
                        const Tensor& weight, const Tensor& bias, Tensor& out);
bool onednn_convolution_data(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                             const Tensor& weight, Tensor& out);
bool onednn_convolution_weight(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                               const Tensor& input, Tensor& out);

}  // namespace opweave::cpu
