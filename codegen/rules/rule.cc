// Small questions about rules.
#include "codegen/rules/rule.h"

namespace opweave::codegen {

std::string_view error_class_name(ErrorClass error) {
  constexpr std::string_view kNames[] = {"RuntimeError", "TypeError", "ValueError", "IndexError",
                                         "NotImplementedError"};
  return kNames[static_cast<size_t>(error)];
}

int reference_tensor(const Schema& schema) {
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const Type& type = schema.arguments[i].type;
    if (type.is_tensor_like() && !type.optional && !type.element_optional) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace opweave::codegen
