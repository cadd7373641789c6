// Small questions about rules.
#include "codegen/rules/rule.h"

namespace opweave::codegen {

// In the order of ErrorClass.
static constexpr std::string_view kErrorClasses[] = {"RuntimeError", "TypeError", "ValueError",
                                                     "IndexError", "NotImplementedError"};

std::string_view error_class_name(ErrorClass error) {
  return kErrorClasses[static_cast<size_t>(error)];
}

std::span<const std::string_view> error_class_names() { return kErrorClasses; }

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
