// An operator on its way into the model, with the entry that it comes from.
#pragma once

#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// Derived forms and generated operators have no entry.
struct Draft {
  Operator* op = nullptr;
  OperatorEntry* entry = nullptr;
};

}  // namespace opweave::codegen
