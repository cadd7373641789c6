// What values cost of what one answer may cost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/shapes/value.h"

namespace opweave::codegen {

class Effort : public rule::Effort {
 public:
  using rule::Effort::spend;
  // Of a list with as many elements as somebody asks for.
  static void spend_elements(int64_t count);
  // What it costs to hold a value.
  static void spend(const Value& value);
};

}  // namespace opweave::codegen
