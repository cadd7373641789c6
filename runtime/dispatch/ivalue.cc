// IValue accessors.
#include "runtime/dispatch/ivalue.h"

namespace opweave {

IValue::IValue(const Scalar& s) {
  if (s.is_floating()) {
    value_ = s.to_double();
  } else if (s.is_bool()) {
    value_ = s.to_bool();
  } else {
    value_ = s.to_long();
  }
}

const Tensor& IValue::to_tensor() const {
  static const Tensor undefined;
  return is_none() ? undefined : get<Tensor>();
}

Tensor& IValue::to_tensor() {
  if (is_none()) value_ = Tensor();
  get<Tensor>();
  return std::get<Tensor>(value_);
}

Scalar IValue::to_scalar() const {
  if (const bool* b = std::get_if<bool>(&value_)) return *b;
  if (const int64_t* i = std::get_if<int64_t>(&value_)) return *i;
  return get<double>();
}

bool IValue::to_bool() const { return get<bool>(); }

int64_t IValue::to_int() const {
  if (const bool* b = std::get_if<bool>(&value_)) return *b;
  return get<int64_t>();
}

double IValue::to_double() const {
  if (const int64_t* i = std::get_if<int64_t>(&value_)) return static_cast<double>(*i);
  return get<double>();
}

std::string_view IValue::kind_name() const {
  constexpr std::string_view names[] = {
      "None",    "Tensor", "bool",       "int",    "float",  "str",          "Tensor[]", "int[]",
      "float[]", "bool[]", "ScalarType", "Layout", "Device", "MemoryFormat", "object"};
  static_assert(std::size(names) == std::variant_size_v<Value>);
  if (const auto* object = std::get_if<Object>(&value_); object && !object->type.empty()) {
    return object->type;
  }
  return names[value_.index()];
}

void IValue::wrong_kind(std::string_view wanted) const {
  OW_THROW(ErrorKind::kType, "expected a value of type ", wanted, " but got ", kind_name());
}

}  // namespace opweave
