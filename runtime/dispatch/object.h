// Objects as operators' arguments: values of a C++ type that schemas name and Opweave itself does
// not look into. One line registers a type:
//
//   template <>
//   inline constexpr const char* opweave::object_type_name<Counter> = "Counter";
//
// with `schema::register_object_type({.name = "Counter", …})` before the first schema that names
// it, and, if Python is to pass it, bindings/python/core/objects/opaque.h.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/core/random/generator.h"
#include "schema/object_types.h"

namespace opweave {

// The name of a C++ type in schemas; null: it is no type of objects.
template <class T>
inline constexpr const char* object_type_name = nullptr;
template <>
inline constexpr const char* object_type_name<Generator> = "Generator";

template <class T>
concept ObjectType = object_type_name<T>
!= nullptr;

// A value of such a type, whichever.
struct Object {
  std::string_view type;  // a constant of the program
  std::shared_ptr<const void> value;
};

}  // namespace opweave
