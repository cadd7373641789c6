// What an operator is called.
#pragma once

#include <string>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {

struct Name {
  std::string base;        // `add`, `add_`
  std::string overload;    // `Tensor`; may be empty
  std::string full;        // `add.Tensor`; unique in the table
  std::string identifier;  // `add_Tensor`: the full name with `_` for `.`; unique in the table
};
Name name_of(const Schema& schema);

}  // namespace opweave::codegen
