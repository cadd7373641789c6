// The lowered model as one JSON document, for printers in other repositories: `opweave model`. What
// it holds docs/model.md says, and schemas/model.schema.json what form it has.
#pragma once

#include <string>

#include "codegen/model/model.h"

namespace opweave::codegen {

// Of the document's form and words: it grows with every change that readers of the last one would
// not understand.
inline constexpr int kModelVersion = 1;

// One line for each operator, in the order of the files; the same model gives the same text.
std::string model_document(const Model& model);

}  // namespace opweave::codegen
