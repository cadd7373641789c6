// A Scalar as an IValue that none of its plain numbers holds: of 2^63 or more, or complex.
#pragma once

#include <string_view>
#include <variant>

#include "runtime/core/numbers/scalar.h"
#include "runtime/dispatch/object.h"

namespace opweave {

// It is an object that holds the Scalar, of a type that is called as Python's is. Who finds one
// asks IValue::to_scalar().
inline constexpr std::string_view kWideInt = "int", kComplexNumber = "complex";
inline bool is_boxed_scalar(const Object& object) {
  return object.type == kWideInt || object.type == kComplexNumber;
}
// The one in what an IValue holds; null if there is none.
template <class Value>
const Scalar* boxed_scalar_of(const Value& value) {
  const auto* object = std::get_if<Object>(&value);
  if (object == nullptr || !is_boxed_scalar(*object)) return nullptr;
  return static_cast<const Scalar*>(object->value.get());
}

}  // namespace opweave
