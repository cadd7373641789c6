// What values tell without elements: `x.sizes()`, `x.size(1)`, `list.size()`.
#pragma once

#include "codegen/model/declarations/operator.h"
#include "codegen/rules/rule.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// `dim` is the dimension that is asked for, of those properties that have one. NoShape where there
// is no such dimension, or nobody knows which it is; it names the operator that asks.
Value property_of(Property property, const Value& of, const Value& dim, const Operator& op);

}  // namespace opweave::codegen
