// Values that a rule names and reads more than once: mathematics writes them once, behind `where`.
#pragma once

#include "codegen/rules/rule.h"

namespace opweave::codegen {

bool is_shared(const Rule& rule, size_t local);

}  // namespace opweave::codegen
