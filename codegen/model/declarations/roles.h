// What roles of arguments say of an operator.
#pragma once

#include <optional>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Whether the first argument is its only tensor.
bool takes_one_tensor_first(const Operator& op);
// Whether a batch of examples runs at once, with the dimensions that arguments name counted behind
// that of the examples: operators of one tensor with a kernel of their own, views, and those that
// say so.
bool counts_dimensions(const Operator& op);
// Whether an argument names dimensions, or has a number for each.
bool speaks_of_dims(const Operator& op, const Argument& argument);
// The length of a list of numbers that the schema gives; none where any will do: of dimensions
// (`int[1] dim`), and of numbers beside such a list, one for each of its dimensions (`int[1]
// shifts, int[1] dims`). One number may stand for all.
std::optional<int> fixed_length(const Operator& op, const Argument& argument);
// Whether such a list may have no elements: where nothing is said by default.
bool takes_empty_list(const Argument& argument);

}  // namespace opweave::codegen
