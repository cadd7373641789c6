// The reference documentation: a page for every operator, the handwritten
// pages, an index, and search without a server.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/output/emit.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// A source file of handwritten kernels.
struct KernelSource {
  std::string path;
  std::set<std::string> includes;        // declarations: `cpu/sum`, or `cuda` for a whole target's
  std::map<std::string, int> functions;  // the lines where they begin
};

// A page in Markdown; its links are relative to its path.
struct GuideFile {
  std::string path;
  std::string text;
};

struct DocsInput {
  std::vector<KernelSource> kernels;
  std::map<std::string, std::string> dtypes;  // of operators whose entries do not limit them
  std::vector<GuideFile> guides;
};

// Deterministic; paths are relative to the folder of the documentation.
std::vector<EmittedFile> emit_docs(const Model& model, const DocsInput& input);

}  // namespace opweave::codegen
