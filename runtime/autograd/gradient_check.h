// Bringing a gradient to the shape, dtype and device that its receiver expects.
#pragma once

#include "runtime/autograd/node.h"

namespace opweave {

Tensor convert_gradient(const Node& from, size_t output, const GradMetadata& wanted,
                        const Tensor& gradient);

// The gradient that output `output` of `from` gives: summed over broadcast dimensions and cast, or
// an error that names the node.
inline void fit_gradient(const Node& from, size_t output, const GradMetadata& wanted,
                         Tensor& gradient) {
  if (!gradient.defined() || wanted.fits(gradient)) [[likely]]
    return;
  if (wanted.defined()) gradient = convert_gradient(from, output, wanted, gradient);
}

}  // namespace opweave
