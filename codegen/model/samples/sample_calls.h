// The calls that generated tests make of an operator.
#pragma once

#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// As its entry lists them. An operator that does not list its calls gets as many as take every
// value once that it gives for an argument; what its entry does not name is drawn by its type.
std::vector<SampleCall> calls_of_samples(const Operator& op);
// Samples cannot say an object that a program makes: its operators have no such calls, and tests of
// their own.
bool needs_object(const Operator& op);

}  // namespace opweave::codegen
