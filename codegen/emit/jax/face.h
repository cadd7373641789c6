// What operators look like in a package for JAX: which are printed, and their formulas in Python.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/printer.h"

namespace opweave::codegen {

// A library on its way out.
struct JaxLibrary {
  const Model& model;
  const EmitOptions& options;
  std::vector<const Operator*> operators;  // of the library, in order
  std::vector<const Operator*> called;     // of the core, by their expressions and formulas
  std::string package;                     // `<library>_jax`
};
JaxLibrary jax_library(const Model& model, const EmitOptions& options);

// How an operator comes to its result in JAX.
enum class JaxWay : uint8_t { expression, composite, kernel, table, none };
JaxWay jax_way(const Operator& op);
// The function of operators.def; empty where there is no line.
std::string_view jax_function(const Operator& op);
// The operator whose expression is printed for it: itself, or the overload that says its elements.
const Operator& expression_of(const Operator& op);
// The formulas by which it is differentiated and batched, and what it is made of.
void for_each_jax_formula(const Operator& op, const std::function<void(const FormulaNode&)>& visit);

// A constant in Python; null where only Opweave has such a value.
std::string jax_constant(const Constant& constant, const Type& type);
// What is in the way of printing this node, apart from its operands; empty if nothing is.
std::string jax_obstacle(const FormulaNode& node);
// A formula as an expression of Python. `names` says what its leaves are called.
std::string jax_formula(const FormulaNode& node, const FormulaNames& names);
// The statements of a composite: its parts, then what it returns.
std::string jax_composite(const Operator& op);
// The lines of a function that computes an expression, over the vocabulary `ow_m`.
void print_jax_expression(Printer& p, const Operator& op);
// The lines of a function of the operator's arguments: what a call requires, and what it gives.
void print_jax_rule(Printer& p, const Operator& op);

// Whether a package has formulas by which the operator is differentiated.
bool has_jax_formulas(const Operator& op);
// `keeps=…, keeps_results=…, constant_results=…`: which elements the formulas of an operator read,
// and which results they do not speak of.
std::string jax_reads(const Operator& op);
// The formulas, behind the operator: gradients, tangents or how to come to those.
void print_jax_derivative(Printer& p, const Operator& op);
// What the formulas of an operator call its arguments (`a.self`), gradients and results.
FormulaNames jax_names_in_formulas(const Operator& op);

// The files; each function is in a file of its own.
std::string print_jax_operators(const JaxLibrary& library);
std::string print_jax_kernels(const JaxLibrary& library);
std::string print_jax_module(const JaxLibrary& library);
std::string print_jax_setup(const JaxLibrary& library);
std::string print_jax_samples(const JaxLibrary& library);

// `self`
std::string jax_name(const Operator& op, size_t argument);
// `["self", "b"]`
std::string jax_names(const Operator& op, const std::vector<uint16_t>& arguments);

}  // namespace opweave::codegen
