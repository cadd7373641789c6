// All outputs of one run.
#include "codegen/emit/emit.h"

#include "codegen/emit/outputs.h"
#include "codegen/emit/trace.h"

namespace opweave::codegen {

namespace {

// "opweave/<target>/…" and "opweave/kernels/<target>.h".
bool belongs_to_target(const std::string& path, const EmitOptions& options) {
  for (const std::string& target : options.targets) {
    if (path.starts_with("opweave/" + target + "/") || path == "opweave/kernels/" + target + ".h")
      return true;
  }
  return false;
}

}  // namespace

static std::vector<EmittedFile> emit_files(const Model& model, const EmitOptions& options) {
  Files files;
  if (options.only_targets) {
    emit_pointwise_kernels(model, options, files);
    emit_kernel_declarations(model, options, files);
    emit_registration(model, options, files);
    std::erase_if(files,
                  [&](const EmittedFile& file) { return !belongs_to_target(file.path, options); });
    return files;
  }
  emit_operator_headers(model, files);
  emit_dispatch_tables(model, options, files);
  emit_pointwise_kernels(model, options, files);
  emit_kernel_declarations(model, options, files);
  emit_composites(model, options, files);
  emit_autograd(model, options, files);
  emit_forward_rules(model, options, files);
  emit_batching_rules(model, options, files);
  emit_registration(model, options, files);
  emit_front_end(model, files);
  emit_python_bindings(model, options, files);
  emit_python_stubs(model, files);
  emit_test_tables(model, files);
  emit_entries(model, files);
  return files;
}

std::vector<EmittedFile> emit_all(const Model& model, const EmitOptions& options) {
  if (!options.trace) return emit_files(model, options);
  const Trace trace;
  std::vector<EmittedFile> files = emit_files(model, options);
  for (EmittedFile& file : files) file.text = with_comments(file.text, file.path);
  return files;
}

}  // namespace opweave::codegen
