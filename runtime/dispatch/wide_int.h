// A Scalar of 2^63 or more as an IValue.
#pragma once

#include <string_view>
#include <variant>

#include "runtime/dispatch/object.h"

namespace opweave {

// An int64 does not hold one: it is an object of a type that is called as all whole numbers are.
// Who finds one asks IValue::to_scalar().
inline constexpr std::string_view kWideInt = "int";
inline bool is_wide_int(const Object& object) { return object.type == kWideInt; }
// The one in what an IValue holds; null if there is none.
template <class Value>
const Object* wide_int_of(const Value& value) {
  const auto* object = std::get_if<Object>(&value);
  return object != nullptr && is_wide_int(*object) ? object : nullptr;
}

}  // namespace opweave
