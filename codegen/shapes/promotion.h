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

}  // namespace opweave::codegen
