// The operators as C++ functions: names, and defaults that let no call fit two overloads.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/text/signature.h"

namespace opweave::codegen {

struct CppFunction {
  const Operator* op;
  std::string name;  // `add`, `add_`, `add_out`
  Signature face;    // as callers write it: what an out form writes comes first
};

// In the order of `ops`. Of `arange(start, end)` and `arange(start, end, step = 1)` the latter
// loses the default of its step.
std::vector<CppFunction> cpp_functions(const std::vector<const Operator*>& ops);

constexpr size_t kNoSelf = static_cast<size_t>(-1);
// The argument on which the operator is a method of ow::Tensor; kNoSelf if it is none.
size_t method_self(const Operator& op);
// Parameters with defaults as the front end declares them, without the one of a method's object.
std::string front_parameters(const Signature& face, size_t self = kNoSelf);

}  // namespace opweave::codegen
