// Values that a rule or a composite names and reads more than once: mathematics writes them once,
// behind `where`.
#pragma once

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Of the part with this index of a composite, or else of the value of the rule.
bool is_shared(const Operator& op, size_t local);

}  // namespace opweave::codegen
