// What is generated for an operator, in words for people.
#pragma once

#include <string>

#include "codegen/model/model.h"

namespace opweave::codegen::lsp {

// `opweave::add(const Tensor& self, ...)` of each form, one per line.
std::string cpp_signatures(const Operator& op);
// Functions and methods as Python calls them, of each form, one per line. Empty for internal ones.
std::string python_signatures(const Operator& op, const Model& model);
// Where its gradient comes from: `derived from the expression`, `derivatives.yaml`, ...
std::string gradient_source(const Operator& op);

}  // namespace opweave::codegen::lsp
