// Stubs of Python's operators, which are methods of tensors.
#pragma once

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

void print_operator_stubs(Printer& p, const Model& model);

}  // namespace opweave::codegen
