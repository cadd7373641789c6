// What a call gives, with sizes that may be unknown: by the rules of the operators that it is made
// of.
#pragma once

#include "codegen/model/model.h"
#include "codegen/shapes/functions.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// The results of an operator for arguments in the order of its schema; where sizes decide,
// `conditions` gets what has to hold. NoShape, with the operator's own message, where a call is
// refused, and where no rule says what the results are.
std::vector<ShapedTensor> results_of(const Operator& op, const Values& arguments,
                                     Conditions& conditions);

}  // namespace opweave::codegen
