// The parts of which files of pointwise kernels are printed.
#pragma once

#include <string>

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"
#include "codegen/model/mutants/mutant.h"

namespace opweave::codegen {

// The struct `<identifier>_expr` with the kernel's `apply`, over the math vocabulary `m` of the
// target.
std::string print_expression_struct(const Operator& op, const Mutants& mutants = Mutants::none());
// That struct and the function `<identifier>_loops`, which makes the loops over it for one target.
void print_pointwise_loops(Printer& printer, const Operator& op,
                           const Mutants& mutants = Mutants::none());
// The constant `<identifier>_spec`: promotion and operand rules, shared by all targets.
void print_pointwise_spec(Printer& printer, const Operator& op);

}  // namespace opweave::codegen
