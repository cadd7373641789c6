// What handwritten kernels of a library for every release include of Opweave.
#pragma once

#include <set>
#include <string>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// The names of the operators' headers (`opweave/ops/NAME.h`) that a file includes. Reports
// every other header of the core but the few that such a library can be compiled with, and
// operators that there are not or that cannot be called.
std::set<std::string> check_kernel_includes(const Source& kernel, const Model& model,
                                            DiagnosticSink& sink);

}  // namespace opweave::codegen
