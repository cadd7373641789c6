// The model as a document.
#include "codegen/cli/model_command.h"

#include <filesystem>

#include "codegen/cli/report.h"
#include "codegen/data/document.h"
#include "codegen/files/files.h"

namespace opweave::codegen {

int write_model(const CommandLine& line, const Model& model) {
  const std::filesystem::path path = line.out;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  std::string error;
  if (write_files(folder, {{path.filename().string(), model_document(model)}}, error)) return 0;
  return fail(error);
}

}  // namespace opweave::codegen
