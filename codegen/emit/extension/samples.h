// The calls that tests of a package make, as the file `tests/samples.py`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

// `imports` are lines of the file; `callee` is what an operator is called as.
std::string print_samples(const std::vector<const Operator*>& operators, const std::string& imports,
                          const std::function<std::string(const Operator&)>& callee);

}  // namespace opweave::codegen
