// Dtypes of results, from those of arguments.
#pragma once

#include <string>

#include "codegen/shapes/value.h"

namespace opweave::codegen {

// The dtype to which both promote. Empty where it is not known. NoShape where there is none.
std::string promoted(const std::string& a, const std::string& b);
// That of several tensors and numbers: those without dimensions and numbers promote only to another
// category.
std::string promoted(const Values& operands);
// Whether it is one of floats; Unknown where it is not known.
Value is_floating_point(const std::string& dtype);
// A number where a tensor is wanted.
ShapedTensor number_tensor(const Value& number);

}  // namespace opweave::codegen
