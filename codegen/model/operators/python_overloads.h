// The order in which Python tries the overloads of a name, and whether it decides every call.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Overloads are compared parameter by parameter from the left; the first parameters of different
// kinds decide, the one that asks for more being tried first: bool, a dtype and the like, a list of
// tensors, other lists, Tensor, int, lists of ints without a size, float, Scalar. Where this does
// not decide, the order in the file does, as in PyTorch.
bool tried_before(const Operator& a, const Operator& b);

// Reports what that order cannot settle: overloads of one Python name that a call fits equally well
// though its arguments mean something else in each, and those that no call reaches because one that
// is tried before takes all that they take.
void check_python_overloads(const std::vector<const Operator*>& operators, DiagnosticSink& sink);

}  // namespace opweave::codegen
