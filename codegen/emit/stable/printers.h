// The parts of a library for every release.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Its operators: functional forms, with those in place and into `out` behind each.
std::vector<const Operator*> stable_operators(const Model& model);
// Of those, the functional forms with loops; and with kernels that people write.
std::vector<const Operator*> with_loops(const Model& model);
std::vector<const Operator*> with_kernels(const Model& model);

// The file with operators, formulas, gradients and the block.
std::string print_stable_library(const Model& model, const EmitOptions& options);
// The file with the loops; the tables that the other names are defined there.
std::string print_stable_elements(const Model& model);
// Of Python's functions and methods: a name, and the operators behind it.
std::string print_stable_faces(const Model& model, const EmitOptions& options);
// What handwritten kernels of the operators of one base name define.
std::string print_stable_kernel_header(const std::vector<const Operator*>& ops);
// What handwritten kernels include to call the operators of one header of the core.
std::string print_stable_operator_header(const std::vector<const Operator*>& ops);

// `struct add_Tensor`, by which formulas call an operator.
void print_stable_called(Printer& printer, const Operator& op);
// `<identifier>_kernel`, which makes results and runs the handwritten one, and `<identifier>_meta`.
void print_stable_kernel(Printer& printer, const Operator& op);
// Whether there is `<identifier>_meta`.
bool has_stable_meta(const Operator& op);
// `<identifier>_gradient`, the backward function, and what computes the values that it needs.
void print_stable_gradient(Printer& printer, const Operator& op);
bool has_stable_gradient(const Operator& op);
// The words of a definition that say how it is differentiated, and that describe arguments and
// batches.
std::string stable_gradient_words(const Operator& op);
std::string stable_argument_words(const Operator& op);

}  // namespace opweave::codegen
