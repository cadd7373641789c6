// What the results of an operator that folds look like, where its entry does not say it.
#pragma once

#include "codegen/model/declarations/storage.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// Adds to the entry's rule what is missing: a result for each expression, with the sizes of what is
// kept or of all, and the dtype that the expressions compute in.
void complete_fold_rule(const Operator& op, OperatorEntry& entry, ModelStorage& storage);

}  // namespace opweave::codegen
