// The parts of a library for every release.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/emit.h"
#include "codegen/emit/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Its operators: functional forms, with those in place and into `out` behind each.
std::vector<const Operator*> stable_operators(const Model& model);

// The file with operators, gradients and the block.
std::string print_stable_library(const Model& model, const EmitOptions& options);
// The file with the loops; the tables that the other names are defined there.
std::string print_stable_elements(const Model& model);
// Of Python's functions and methods: a name, and the operators behind it.
std::string print_stable_faces(const Model& model);

// `<identifier>_gradient`, the backward function.
void print_stable_gradient(Printer& printer, const Operator& op);
bool has_stable_gradient(const Operator& op);

}  // namespace opweave::codegen
