// All outputs of one run.
#include "codegen/emit/output/emit.h"

#include "codegen/emit/output/emission.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/text/trace.h"

namespace opweave::codegen {

namespace {

// What the package of a target needs, the library being there already.
bool is_for_targets(Split split) {
  return split == Split::targets || split == Split::target_shards || split == Split::target_package;
}

std::vector<EmittedFile> emit_files(const Model& model, const EmitOptions& options) {
  std::vector<EmittedFile> files;
  for (const OutputRow& row : output_table()) {
    const bool wanted =
        options.only_targets ? is_for_targets(row.split) : row.split != Split::target_package;
    if (!wanted) continue;
    Output output(model, options, row, files);
    row.emit(output);
  }
  return files;
}

}  // namespace

namespace {

class CoreEmission : public Emission {
 public:
  CoreEmission() : Emission("opweave", Kernels::none) {}
  void check(const Model&, Sources, DiagnosticSink&) const override {}
  std::vector<EmittedFile> files(const Model& model, const EmitOptions& options,
                                 Sources) const override {
    return emit_all(model, options);
  }
};

}  // namespace

const Emission& core_emission() {
  static const CoreEmission emission;
  return emission;
}

std::vector<EmittedFile> emit_all(const Model& model, const EmitOptions& options) {
  if (!options.trace) return emit_files(model, options);
  const Trace trace;
  std::vector<EmittedFile> files = emit_files(model, options);
  for (EmittedFile& file : files) file.text = with_comments(file.text, file.path);
  return files;
}

}  // namespace opweave::codegen
