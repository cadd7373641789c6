// Gradients that do not look as they should.
#include "runtime/autograd/gradient_check.h"

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/error.h"

namespace opweave {
namespace {

bool broadcasts_to(IntList from, IntList to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1 && size != to[to.size() - i]) return false;
  }
  return true;
}

}  // namespace

Tensor convert_gradient(const Node& from, size_t output, const GradMetadata& wanted,
                        const Tensor& gradient) {
  const bool elsewhere = gradient.device() != wanted.device();
  OW_CHECK(!elsewhere || gradient.dim() == 0, "Function ", from.name(),
           " returned an invalid gradient at index ", output, " - expected device ",
           wanted.device(), " but got ", gradient.device());
  Tensor result = gradient;
  if (!same_sizes(gradient.sizes(), wanted.sizes())) {
    OW_CHECK(broadcasts_to(wanted.sizes(), gradient.sizes()), "Function ", from.name(),
             " returned an invalid gradient at index ", output, " - got ", gradient.sizes(),
             " but expected shape compatible with ", wanted.sizes());
    result = engine_ops::sum_to_size(gradient, wanted.sizes());
  }
  if (elsewhere || result.dtype() != wanted.dtype()) {
    result = engine_ops::convert(result, wanted.dtype(), wanted.device());
  }
  return result;
}

}  // namespace opweave
