// The reserved words of the languages that are generated.
#pragma once

#include <string_view>

namespace opweave::codegen {

bool is_cpp_keyword(std::string_view name);
bool is_python_keyword(std::string_view name);
// Letters, digits and `_`, not a digit first.
bool is_identifier(std::string_view text);

}  // namespace opweave::codegen
