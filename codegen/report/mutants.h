// The list of mutants for programs that run them.
#pragma once

#include <string>

#include "codegen/model/model.h"

namespace opweave::codegen {

// A JSON list: of every mutant its id, operator, place and change.
std::string mutants_report(const Model& model);

}  // namespace opweave::codegen
