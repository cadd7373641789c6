// Gradients that do not look as they should.
#include "runtime/autograd/gradient_check.h"

#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"

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

std::string invalid_gradient(const Node* from, size_t output) {
  const std::string who = from == nullptr ? "" : str("Function ", from->name(), " returned an ");
  return str(who, "invalid gradient at index ", output, " - ");
}

std::string kind_of(const Tensor& t) { return str(t.dtype(), " on ", t.device()); }

}  // namespace

Tensor convert_gradient(const Node* from, size_t output, const GradMetadata& wanted,
                        const Tensor& gradient) {
  // What is not plain may be elsewhere than it says.
  const bool plain = engine_ops::is_plain(gradient);
  const bool elsewhere = plain && gradient.device() != wanted.device();
  OW_CHECK(!elsewhere || gradient.dim() == 0, invalid_gradient(from, output), "expected device ",
           wanted.device(), " but got ", gradient.device());
  Tensor result = gradient;
  if (!same_sizes(gradient.sizes(), wanted.sizes())) {
    OW_CHECK(broadcasts_to(wanted.sizes(), gradient.sizes()), invalid_gradient(from, output),
             "got ", gradient.sizes(), " but expected shape compatible with ", wanted.sizes());
    result = engine_ops::sum_to_size(gradient, wanted.sizes());
  }
  if (elsewhere || (plain && result.dtype() != wanted.dtype())) {
    result = engine_ops::convert(result, wanted.dtype(), wanted.device());
  }
  return result;
}

void check_hook_result(std::string_view hook, const Tensor& gradient, const Tensor& result) {
  if (!result.defined()) return;
  OW_CHECK(gradient.defined(), "hook '", hook,
           "' can't replace a None gradient with a non-None value");
  OW_CHECK(result.dtype() == gradient.dtype() && result.device() == gradient.device(), "hook '",
           hook, "' has changed the type of value (was ", kind_of(gradient), ", got ",
           kind_of(result), ")");
  OW_CHECK(same_sizes(result.sizes(), gradient.sizes()), "hook '", hook,
           "' has changed the size of value (was ", gradient.sizes(), ", got ", result.sizes(),
           ")");
}

}  // namespace opweave
