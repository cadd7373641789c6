// Convolutions as products of matrices, for the dtypes that oneDNN leaves out.
#pragma once

#include "kernels/cpu/convolution/convolution_shape.h"

namespace opweave::cpu {

// Contiguous arguments of one dtype; contiguous results. `bias` may be undefined.
Tensor plain_convolution(const ConvolutionShape& shape, const Tensor& input, const Tensor& weight,
                         const Tensor& bias);
Tensor plain_convolution_data(const ConvolutionShape& shape, const Tensor& grad_output,
                              const Tensor& weight);
Tensor plain_convolution_weight(const ConvolutionShape& shape, const Tensor& grad_output,
                                const Tensor& input);

}  // namespace opweave::cpu
