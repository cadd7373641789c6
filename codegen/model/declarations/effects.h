// What an operator does to its arguments, as its schema says.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// Result `result` is a view of argument `argument` (alias annotation without `!`).
struct ViewOf {
  uint16_t result = 0;
  uint16_t argument = 0;
};

struct Effects {
  std::vector<ViewOf> views;      // not empty: a view operator
  std::vector<uint16_t> mutated;  // arguments that are written
};
// Whether two annotations name the same memory.
bool shares_set(const Alias& a, const Alias& b);
// Bad annotations are for check_schema to report.
Effects effects_of(const Schema& schema);

}  // namespace opweave::codegen
