// IValue accessors.
#include "runtime/dispatch/ivalue.h"

#include "runtime/dispatch/boxed_scalar.h"

namespace opweave {

IValue::IValue(const Scalar& s) {
  if (s.is_complex() || s.type() == kUInt64) {
    value_ = Object{s.is_complex() ? kComplexNumber : kWideInt, std::make_shared<const Scalar>(s)};
  } else if (s.is_floating()) {
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
  if (const Scalar* s = boxed_scalar_of(value_)) return *s;
  return get<double>();
}

bool IValue::to_bool() const { return get<bool>(); }

int64_t IValue::to_int() const {
  if (const bool* b = std::get_if<bool>(&value_)) return *b;
  OW_CHECK(boxed_scalar_of(value_) == nullptr,
           "value cannot be converted to type int64_t without overflow");
  return get<int64_t>();
}

double IValue::to_double() const {
  if (const int64_t* i = std::get_if<int64_t>(&value_)) return static_cast<double>(*i);
  if (const Scalar* s = boxed_scalar_of(value_)) return s->to_double();
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
