// All outputs of one run.
#include "codegen/emit/emit.h"

#include "codegen/emit/outputs.h"

namespace opweave::codegen {

std::vector<EmittedFile> emit_all(const Model& model, const EmitOptions& options) {
  Files files;
  emit_operator_headers(model, files);
  emit_dispatch_tables(model, options, files);
  emit_pointwise_specs(model, files);
  emit_pointwise_kernels(model, options, files);
  emit_kernel_declarations(model, options, files);
  emit_composites(model, options, files);
  emit_autograd(model, options, files);
  emit_registration(model, options, files);
  emit_front_end(model, files);
  emit_python_bindings(model, options, files);
  emit_python_stubs(model, files);
  return files;
}

}  // namespace opweave::codegen
