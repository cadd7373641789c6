// Pointwise trees as data, and how an operator reads its arguments for one.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

// A list of nodes, each behind its operands, which it names by their places; the last one is the
// value. What is read several times is there once.
Json elements_data(const ElementNode& root);
// Of an operator with an expression: that, the dtype it computes in, and for each argument what
// becomes of it before.
Json expression_data(const Operator& op);

}  // namespace opweave::codegen::data
