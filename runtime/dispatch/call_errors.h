// What is wrong about a call, told by the operator's record: which argument, of which type.
#pragma once

#include "runtime/dispatch/operator.h"

namespace opweave {

// TypeError unless the stack holds as many arguments as the operator has, each of its type.
void check_arguments(const OperatorEntry& op, const Stack& stack);
// The same for what a boxed kernel left there; `count` is how many the typed caller takes.
void check_results(const OperatorEntry& op, const Stack& stack, size_t count);

}  // namespace opweave
