// Where an operator is, outside of the YAML files: its handwritten kernels and its tests.
#pragma once

#include <string>
#include <vector>

#include "codegen/lsp/outline.h"
#include "codegen/model/model.h"

namespace opweave::codegen::lsp {

struct Location {
  std::string path;
  Range range;
};

// `root` is the folder of ops.yaml.
// The definitions of its functions in kernels/<target>/.
std::vector<Location> kernels_of(const Operator& op, const std::string& root);
// Where tests name it: recorded cases, tests by hand, and generated ones that run for it.
std::vector<Location> tests_of(const Operator& op, const std::string& root);

}  // namespace opweave::codegen::lsp
