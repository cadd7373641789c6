// What operators look like in PyTorch: which there are, their C++ functions and their schemas.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {

// A library on its way out.
struct TorchLibrary {
  const Model& model;
  const EmitOptions& options;
  std::vector<const Operator*> operators;  // those that are registered, in order
};

// Sizes that only a trace knows; empty for what is no size.
std::string symbolic_property(const FormulaNode& node, const FormulaNames& names);
// The function as PyTorch's dispatcher calls it: `const std::optional<Tensor>&` for `Tensor?`.
Signature torch_signature(const Operator& op);
// The same with a Tensor for each `Tensor?`, which is undefined where there is none: what formulas
// and rules read.
Signature value_signature(const Operator& op);
// The parameters of a function of torch_signature(), whose body begins with print_values(): what
// may be None is called `ow_given_<name>` until it has become a Tensor by its name.
std::string given_parameters(const Signature& signature);
std::string given_arguments(const Signature& signature);
void print_values(Printer& printer, const Signature& signature);
// Whether a call writes arguments, and gives nothing back but those. In PyTorch it gives nothing:
// torch.compile makes such calls functional, and the function of the package gives them back.
bool writes_alone(const Operator& op);
// Of such a call, the arguments that it gives back.
std::vector<uint16_t> returned_arguments(const Operator& op);
// How many results there are in PyTorch.
size_t result_count(const Operator& op);
std::string torch_schema(const Operator& op);
// Whether kernels.cpp has `calls::<id>_check`, which a batch that runs by a formula asks first.
bool batches_are_checked(const Operator& op);
// "squareplus_ops::squareplus"
std::string torch_name(const TorchLibrary& library, const Operator& op);
// `struct squareplus`, and names for the operators of PyTorch that formulas call.
void print_torch_declarations(Printer& printer, const TorchLibrary& library);

// The files; each function is in a file of its own.
std::string print_torch_library(const TorchLibrary& library);
std::string print_torch_pointwise(const TorchLibrary& library);
std::string print_torch_cuda_pointwise(const TorchLibrary& library);
std::string print_torch_kernels(const TorchLibrary& library);
// Those with a handwritten kernel for a target that is emitted.
std::vector<const Operator*> torch_kernels(const TorchLibrary& library, std::string_view target);
std::string print_torch_setup(const TorchLibrary& library);
std::string print_torch_module(const TorchLibrary& library);
std::string print_torch_stubs(const TorchLibrary& library);
std::string print_torch_samples(const TorchLibrary& library);
std::string print_torch_rules(const TorchLibrary& library);
// The backward node of one operator.
void print_torch_node(Printer& printer, const Operator& op, const std::string& node);
// The same, and the autograd kernel that records it.
void print_torch_autograd(Printer& printer, const Operator& op, const std::string& node);

}  // namespace opweave::codegen
