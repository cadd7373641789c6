// The reserved words of C++. Those of Python: schema/python_text.h.
#pragma once

#include <string_view>

namespace opweave::codegen {

bool is_cpp_keyword(std::string_view name);
// What declarations of operators and kernels call a type, and macros of the C library: no parameter
// beside them can have the name.
bool is_cpp_type_or_macro(std::string_view name);
// What C++ keeps for itself (`__x`, `_X`), and what looks like a macro: three letters or more of
// which none is small.
bool is_reserved_in_cpp(std::string_view name);
// Letters, digits and `_`, not a digit first.
bool is_identifier(std::string_view text);

}  // namespace opweave::codegen
