// How Python spells what schemas say: names and defaults of parameters, and what is said of them.
#pragma once

#include <string>
#include <string_view>

#include "schema/constant.h"

namespace opweave::schema {

bool is_python_keyword(std::string_view name);
// A keyword gets a `_`.
std::string python_identifier(std::string_view name);
// `()` for `[]`, `int64` for `long`, everything else nearly as it is.
std::string python_text(const Constant& constant);
// What is said of a function, as a literal between three quotes.
std::string python_docstring(std::string_view text);

}  // namespace opweave::schema
