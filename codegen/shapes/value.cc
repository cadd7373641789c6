// Values as text, and from constants.
#include "codegen/shapes/value.h"

#include <fmt/format.h>

namespace opweave::codegen {

std::string text_of(const Sizes& sizes) {
  std::string out;
  for (const Size& size : sizes) out += (out.empty() ? "" : ", ") + size.text();
  return "[" + out + "]";
}

std::string text_of(const Value& value) {
  if (const auto* size = value.as<Size>()) return size->text();
  if (const auto* sizes = value.as<Sizes>()) return text_of(*sizes);
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* number = value.as<double>()) return fmt::format("{}", *number);
  if (const auto* dtype = value.as<DtypeName>()) return dtype->name.empty() ? "?" : dtype->name;
  if (const auto* tensor = value.as<ShapedTensor>()) {
    return tensor->defined ? text_of(tensor->sizes) : "none";
  }
  if (const auto* condition = value.as<Condition>()) {
    if (condition->kind == Condition::Kind::open) return condition->text;
    return condition->kind == Condition::Kind::yes ? "true" : "false";
  }
  return value.as<Nothing>() ? "none" : "?";
}

Value constant_value(const Constant& constant, const Type& type) {
  switch (constant.kind) {
    case Constant::Kind::none:
      return {Nothing()};
    case Constant::Kind::boolean:
      return {Condition::of(constant.boolean)};
    case Constant::Kind::integer:
      if (type.list) return {Sizes(type.size.value_or(1), Size(constant.integer))};
      return {Size(constant.integer)};
    case Constant::Kind::real:
      return {constant.real};
    case Constant::Kind::string:
      return {constant.string};
    case Constant::Kind::symbol:
      if (type.base == BaseType::scalar_type) return {DtypeName{constant.string}};
      return {Unknown()};
    case Constant::Kind::list:
      break;
  }
  Sizes sizes;
  for (const Constant& item : constant.items) sizes.emplace_back(item.integer);
  return {sizes};
}

}  // namespace opweave::codegen
