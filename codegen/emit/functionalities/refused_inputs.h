// Inputs that the results of an operator depend on and that have no gradient (`refused` in
// derivatives.yaml): a call whose gradient or tangent would be lost is an error.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Arguments by their places in the schema.
std::vector<uint16_t> refused_inputs(const Operator& op);
// The same as a list of Python: `["weight"]`.
std::string refused_names(const Operator& op);
// The checks of an autograd kernel with these parameters. An out form has none: it refuses all.
void print_refusals(Printer& p, const Operator& op, const Signature& s);

}  // namespace opweave::codegen
