// Values that are written as names: dtypes, memory formats, layouts and reductions.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {

struct NamedValue {
  std::string_view name;  // in defaults of schemas, in formulas and in samples
  BaseType type;
  std::string_view cpp;
};

// The value of that name and type; null if the type has none of that name.
const NamedValue* find_named_value(std::string_view name, BaseType type);
// The value of that name, of whatever type; null if there is none.
const NamedValue* find_named_value(std::string_view name);
std::vector<std::string_view> value_names(BaseType type);
// Of whatever type, in that order.
std::vector<std::string_view> all_value_names();
// The dtype that another name of Python's or of C's means: float32 for `float`; empty if none.
std::string_view dtype_called(std::string_view name);

}  // namespace opweave::codegen
