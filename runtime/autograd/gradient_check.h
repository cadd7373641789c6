// Bringing a gradient to the shape, dtype and device that its receiver expects.
#pragma once

#include <string_view>

#include "runtime/autograd/node.h"

namespace opweave {

Tensor convert_gradient(const Node* from, size_t output, const GradMetadata& wanted,
                        const Tensor& gradient);

// The gradient that output `output` of `from` gives, or the caller for root `output` where `from`
// is null: summed over broadcast dimensions and cast, or an error that names the node.
inline void fit_gradient(const Node* from, size_t output, const GradMetadata& wanted,
                         Tensor& gradient) {
  if (!gradient.defined() || wanted.fits(gradient)) [[likely]]
    return;
  if (wanted.defined()) gradient = convert_gradient(from, output, wanted, gradient);
}

// A hook may change the numbers of a gradient, not what kind of tensor it is.
void check_hook_result(std::string_view hook, const Tensor& gradient, const Tensor& result);

}  // namespace opweave
