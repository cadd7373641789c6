// Answers of values.
#include "codegen/shapes/properties.h"

#include <fmt/format.h>

#include "codegen/shapes/promotion.h"
#include "rules/sizes.h"

namespace opweave::codegen {
namespace {

// How many elements a list has; 0 of what is none.
int64_t length(const Value& of) {
  if (const auto* sizes = of.as<Sizes>()) return std::ssize(*sizes);
  if (const auto* values = of.as<Values>()) return std::ssize(*values);
  return 0;
}

// The element of `list` for a dimension of the tensor.
Value element_for(const ShapedTensor& tensor, const Sizes& list, const Value& dim,
                  const Operator& op) {
  const auto* at = dim.as<Size>();
  const auto number = at ? at->number() : std::nullopt;
  if (!number) {
    throw NoShape{fmt::format("{}(): a dimension has to be a known number", op.name.full),
                  NoShape::Kind::unknown};
  }
  const auto rank = static_cast<int64_t>(tensor.sizes.size());
  if (*number < -rank || *number >= rank) {
    throw NoShape{fmt::format("{}(): there is no dimension {} in {}", op.name.full, *number,
                              text_of(tensor.sizes))};
  }
  return {list[*number < 0 ? *number + rank : *number]};
}

Value of_tensor(Property property, const ShapedTensor& tensor, const Value& dim,
                const Operator& op) {
  switch (property) {
    case Property::sizes:
      return {tensor.sizes};
    case Property::dim:
      return {Size(static_cast<int64_t>(tensor.sizes.size()))};
    case Property::numel:
      return {rule::generic::product<Size>(tensor.sizes)};
    case Property::scalar_type:
      return tensor.dtype.empty() ? Value{Unknown()} : Value{DtypeName{tensor.dtype}};
    case Property::is_floating_point:
      return is_floating_point(tensor.dtype);
    case Property::strides:
      return tensor.strides ? Value{*tensor.strides} : Value{Unknown()};
    case Property::stride:
      return tensor.strides ? element_for(tensor, *tensor.strides, dim, op) : Value{Unknown()};
    case Property::storage_offset:
      return tensor.offset ? Value{*tensor.offset} : Value{Unknown()};
    case Property::size:
      return element_for(tensor, tensor.sizes, dim, op);
    default:
      return {Unknown()};
  }
}

}  // namespace

Value property_of(Property property, const Value& of, const Value& dim, const Operator& op) {
  const auto* tensor = of.as<ShapedTensor>();
  switch (property) {
    case Property::has_value:
      return {Condition::of(!of.as<Nothing>())};
    case Property::defined:
      return {Condition::of(tensor && tensor->defined)};
    case Property::length:
      return {Size(length(of))};
    default:
      break;
  }
  if (!tensor || !tensor->defined) return {Unknown()};
  return of_tensor(property, *tensor, dim, op);
}

}  // namespace opweave::codegen
