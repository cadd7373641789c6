// Convolutions as products of matrices, for the dtypes that oneDNN leaves out.
#pragma once

#include "kernels/plans/convolution_shape.h"

namespace opweave::cpu {

// Contiguous arguments and results, of one dtype. `bias` may be undefined.
void plain_convolution(const plans::ConvolutionShape& shape, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, Tensor& out);
void plain_convolution_data(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                            const Tensor& weight, Tensor& grad);
void plain_convolution_weight(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                              const Tensor& input, Tensor& grad);

}  // namespace opweave::cpu
