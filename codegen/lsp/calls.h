// Where the formulas of a model call which operators.
#pragma once

#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen::lsp {

struct Call {
  const Operator* op;
  Span name;  // the function's name; of a symbol such as `+` the whole operation
};

// Of composites, batching formulas and handwritten gradients. The operators of an `expr` are not in
// it: they are inlined.
std::vector<Call> calls_of(const Model& model);

}  // namespace opweave::codegen::lsp
