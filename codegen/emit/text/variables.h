// What the variables of generated functions are called that hold arguments. An argument may be
// called anything, emitters call their own variables and the functions that they use something, and
// the two must never be the same.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// The argument's name; `arg_<name>` where emitters use the name themselves (own_names.def), or make
// such a name out of another argument's: `x_at`, `has_x`. No two arguments share one.
std::string variable(std::string_view argument);
// The same for the functions of the Python bindings, which use other names: `<name>_`.
std::string python_variable(std::string_view argument);

// While it lives every argument has another name than its own. For the test that collects what
// emitters use themselves.
class EveryVariableRenamed {
 public:
  EveryVariableRenamed();
  ~EveryVariableRenamed();
  EveryVariableRenamed(const EveryVariableRenamed&) = delete;
};

}  // namespace opweave::codegen
