// From the keys of an entry that folds to what it computes.
#pragma once

#include "codegen/expr/element_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Null after a report. `environment`: the pointwise operators that its expressions may call.
const FoldFormula* read_fold(const Draft& draft, ModelStorage& storage,
                             ElementEnvironment& environment, DiagnosticSink& sink);

// How its expressions read the arguments, and in which dtype they compute.
Elements elements_of(const FoldFormula& fold, const Operator& op);

}  // namespace opweave::codegen
