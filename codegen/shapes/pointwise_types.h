// Dtypes: what operators take, and what pointwise ones give.
#pragma once

#include <string>

#include "codegen/model/operator.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// The dtype of the result; empty where it is not known. NoShape where the operator does not take
// those of the arguments.
std::string pointwise_dtype(const Operator& op, const Values& arguments);

// NoShape where an operator that is no expression does not take them: see
// emit/formulas/dtype_checks.h.
void check_argument_dtypes(const Operator& op, const Values& arguments);

// NoShape unless results of a dtype may be written into tensors of another one.
void check_cast(const std::string& from, const std::string& to);

}  // namespace opweave::codegen
