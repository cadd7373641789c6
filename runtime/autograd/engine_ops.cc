// Finding operators in the registry, and small things made of them.
#include "runtime/autograd/engine_ops.h"

#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

// Without defaults, and with SymInt read as int: what decides the C++ types.
std::string types_of(std::string_view schema) {
  std::string text;
  for (size_t i = 0; i < schema.size(); ++i) {
    if (schema.substr(i).starts_with("SymInt")) {
      text += "int";
      i += 5;
    } else if (schema[i] == '=') {
      while (i + 1 < schema.size() && schema[i + 1] != ',' && schema[i + 1] != ')') ++i;
    } else {
      text += schema[i];
    }
  }
  return text;
}

}  // namespace

AnyKernel detail::find_by_schema(const char* schema) {
  const std::string_view text(schema);
  const OperatorEntry* entry = find_operator(text.substr(0, text.find('(')));
  OW_INTERNAL_ASSERT(entry != nullptr, "autograd needs the operator ", schema);
  OW_INTERNAL_ASSERT(types_of(entry->def().schema) == types_of(text),
                     "autograd needs the operator ", schema, " but it is registered as ",
                     entry->def().schema);
  return entry->def().call;
}

namespace engine_ops {

Tensor convert(const Tensor& gradient, ScalarType dtype, Device device) {
  Tensor copy = make_tensor(gradient.sizes(), dtype, device);
  copy_(copy, gradient, /*non_blocking=*/false);
  return copy;
}

Tensor full(IntList sizes, const Scalar& value, ScalarType dtype, Device device) {
  Tensor t = make_tensor(sizes, dtype, device);
  fill_(t, value);
  return t;
}

bool has_nan(const Tensor& gradient) { return item(any(isnan(gradient))).to_bool(); }

}  // namespace engine_ops
}  // namespace opweave
