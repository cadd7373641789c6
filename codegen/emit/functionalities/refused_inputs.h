// Arguments with which calls are refused where their gradient or tangent would be lost
// (Recording::refused).
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Their names as a list of Python: `["weight"]`.
std::string refused_names(const Operator& op);
// The checks of an autograd kernel with these parameters.
void print_refusals(Printer& p, const Operator& op, const Signature& s);

}  // namespace opweave::codegen
