// The reference documentation: a page for every operator, an index, and search without a server.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/emit/emit.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Which files include the declaration of a handwritten kernel: `cpu/sum` -> `kernels/cpu/sum.cc`.
using KernelFiles = std::map<std::string, std::vector<std::string>>;

// Deterministic; paths are relative to the folder of the documentation.
std::vector<EmittedFile> emit_docs(const Model& model, const KernelFiles& kernels);

}  // namespace opweave::codegen
