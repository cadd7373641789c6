// What generated code says about operators and dtypes that a selection leaves out.
#pragma once

#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// "operator 'addmm' was left out of this build (selection digits.yaml): add `- addmm` under
// operators"
std::string left_out_message(const Model& model, std::string_view name);

// In the registration of a build of selected operators: what it includes; functions in place of the
// operators that handwritten code names and nobody calls; and the call that tells the runtime.
void print_left_out_includes(Printer& p, const Model& model);
void print_left_out_operators(Printer& p, const Model& model, const EmitOptions& options);
void print_left_out_registration(Printer& p, const Model& model, const EmitOptions& options);

}  // namespace opweave::codegen
