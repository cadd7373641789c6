// The operators that autograd was given, and small things made of them.
#include "runtime/autograd/engine_ops.h"

namespace opweave {

constinit EngineOperators detail::engine_operators{};

void set_engine_operators(const EngineOperators& operators) {
  detail::engine_operators = operators;
}

namespace engine_ops {

Tensor full(IntList sizes, const Scalar& value, ScalarType dtype, Device device) {
  Tensor t = make_tensor(sizes, dtype, device);
  fill_(t, value);
  return t;
}

bool has_nan(const Tensor& gradient) {
  const EngineOperators& ops = detail::engine_operators;
  return ops.item(ops.any(ops.isnan(gradient))).to_bool();
}

}  // namespace engine_ops
}  // namespace opweave
