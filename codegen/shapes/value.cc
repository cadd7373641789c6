// Values as text, and from constants.
#include "codegen/shapes/value.h"

#include <fmt/format.h>

#include <charconv>

#include "codegen/syntax/named_values.h"
#include "schema/python_text.h"

namespace opweave::codegen {

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides = sizes;
  Size step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    // Names stand for sizes that are not 0; an empty dimension counts as one of 1.
    if (!(sizes[i] == Size(0))) step = step * sizes[i];
  }
  return strides;
}

// No tensor has more elements than an int counts; the runtime says so in these words.
static void check_product(const Sizes& sizes) {
  try {
    Size product = 1;
    for (const Size& size : sizes) {
      if (!(size == Size(0))) product = product * size;
    }
  } catch (const rule::NoShape&) {
    throw NoShape{fmt::format("numel: the product of sizes {} overflows int64", text_of(sizes))};
  }
}

ShapedTensor dense_tensor(Sizes sizes, std::string dtype) {
  ShapedTensor tensor{std::move(sizes), std::move(dtype)};
  check_product(tensor.sizes);
  tensor.strides = contiguous_strides(tensor.sizes);
  tensor.offset = Size(0);
  return tensor;
}

std::string text_of(const Sizes& sizes) {
  std::string out;
  for (const Size& size : sizes) out += (out.empty() ? "" : ", ") + size.text();
  return "[" + out + "]";
}

void check_sizes(const Sizes& sizes, Span span) {
  for (const Size& size : sizes) {
    if (size.number().value_or(0) >= 0) continue;
    throw NoShape{fmt::format("Trying to create tensor with negative dimension {}: {}", size.text(),
                              text_of(sizes)),
                  NoShape::Kind::refused, span};
  }
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

// An alias stands for its dtype: `long` for int64.
static Value named_dtype(std::string_view name) {
  schema::Constant constant{.kind = schema::Constant::Kind::symbol};
  constant.string = name;
  return {DtypeName{schema::python_text(constant)}};
}

// `Mean` and `Sum`.
static Value named_number(std::string_view name) {
  const NamedValue* value = find_named_value(name, BaseType::integer);
  int64_t number = 0;
  if (!value) return {Unknown()};
  std::from_chars(value->cpp.data(), value->cpp.data() + value->cpp.size(), number);
  return {Size(number)};
}

static Value list_of(const Constant& constant, Type type) {
  type.list = false;
  Values values;
  for (const Constant& item : constant.items) values.push_back(constant_value(item, type));
  return {values};
}

Value constant_value(const Constant& constant, const Type& type) {
  switch (constant.kind) {
    case Constant::Kind::none:
      return {Nothing()};
    case Constant::Kind::boolean:
      return {Condition::of(constant.boolean)};
    case Constant::Kind::integer:
      if (type.list) return {Sizes(type.size.value_or(1), Size(constant.integer))};
      if (type.base == BaseType::floating) return {static_cast<double>(constant.integer)};
      return {Size(constant.integer)};
    case Constant::Kind::real:
      return {constant.real};
    case Constant::Kind::string:
      return {constant.string};
    case Constant::Kind::symbol:
      if (type.base == BaseType::scalar_type) return named_dtype(constant.string);
      if (type.base == BaseType::integer) return named_number(constant.string);
      return {Unknown()};
    case Constant::Kind::list:
      break;
  }
  if (type.base != BaseType::integer) return list_of(constant, type);
  Sizes sizes;
  for (const Constant& item : constant.items) sizes.emplace_back(item.integer);
  return {sizes};
}

}  // namespace opweave::codegen
