// How the parameters of Python functions are read: the kinds that calls are matched by, and C++
// expressions that read the arguments.
#pragma once

#include <string>
#include <string_view>

#include "codegen/emit/python/python_face.h"

namespace opweave::codegen {

// An argument of the operator, and no word of nn.functional.
bool is_argument(const PythonParameter& p);
// The place of the parameter of a role, or -1.
int place_of(const PythonOverload& o, NnRole role);
// What the operator gets where the caller gives nothing.
std::string default_expression(const PythonOverload& o, const PythonParameter& p);
// `kTensor`
std::string kind_of(const PythonParameter& p);
// "a.integer(1, 0)"
std::string read_expression(const PythonOverload& o, const PythonParameter& parameter,
                            size_t index);
// "const auto "
std::string_view local_type(const PythonOverload& o, const PythonParameter& parameter);

}  // namespace opweave::codegen
