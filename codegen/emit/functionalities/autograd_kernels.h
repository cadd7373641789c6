// Kernels between an operator's caller and its computation.
#pragma once

#include <string>

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Operators without a kernel here fall through: composites are differentiated through, and a
// generated kernel of an operator without gradient calls no other operator.
bool has_autograd_kernel(const Operator& op);

// The operator that copies what an in-place form overwrites, by its tag; null if there is none.
const Operator* copying_operator(const Model& model);
// Records backward nodes of the type `node`, and checks in-place changes. `copy` copies.
void print_autograd_kernel(Printer& p, const Operator& op, const std::string& node,
                           const Operator* copy);
// Below autograd: calls the operator, then notes what it did to versions and views.
void print_tracking_kernel(Printer& p, const Operator& op);

}  // namespace opweave::codegen
