// Arithmetic and comparisons of rules.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/shapes/value.h"

namespace opweave::codegen {

// A number as one that need not be whole; nothing where it is not known.
std::optional<double> real_number(const Value& value);

// `a + b`, `a <= b`, `a == b`, ... of two values; Unknown where it is not known.
Value operation(std::string_view symbol, const Value& a, const Value& b);

}  // namespace opweave::codegen
