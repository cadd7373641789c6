// An operator library as an extension of PyTorch: model in, the files of a Python package out.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/emit/output/emission.h"

namespace opweave::codegen {

// Reports every operator that PyTorch cannot be given, with the feature that is in the way.
void check_torch(const Model& model, DiagnosticSink& sink);
// Reports the headers of Opweave that a file of handwritten kernels includes and that an extension
// does not have.
void check_torch_kernel(const Source& kernel, DiagnosticSink& sink);

// A header that kernels include by the name that it has in Opweave, and the one in support/ that
// has what is in it.
struct KernelHeader {
  std::string_view name, behind;
  bool for_cuda = false;
};
std::span<const KernelHeader> torch_kernel_headers();

// `gen --emit=torch`.
const Emission& torch_emission();

// Of a model that passes. `options.library` names the package, and the namespace of its operators.
std::vector<EmittedFile> emit_torch(const Model& model, const EmitOptions& options);

}  // namespace opweave::codegen
