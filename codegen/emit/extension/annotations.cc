#include "codegen/emit/extension/annotations.h"

namespace opweave::codegen {
namespace {

std::string_view element_annotation(BaseType type, const TypeNames& names) {
  switch (type) {
    case BaseType::tensor:
      return names.tensor;
    case BaseType::scalar:
      return names.number;
    case BaseType::integer:
      return "int";
    case BaseType::floating:
      return "float";
    case BaseType::boolean:
      return "bool";
    case BaseType::string:
      return "str";
    case BaseType::scalar_type:
      return names.dtype;
    case BaseType::device:
      return names.device;
    case BaseType::layout:
      return names.layout;
    default:
      return names.memory_format;
  }
}

}  // namespace

std::string python_annotation(const Type& type, const TypeNames& names) {
  const std::string element(element_annotation(type.base, names));
  std::string text = element;
  if (type.list) text = "Sequence[" + element + "]" + (type.size == 1 ? " | " + element : "");
  return type.optional ? text + " | None" : text;
}

}  // namespace opweave::codegen
