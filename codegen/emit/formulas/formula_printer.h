// Typed formulas as C++ expressions over the generated operator functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/formulas/formula_parts.h"
#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/lowered/repeated.h"
#include "codegen/model/mutants/mutant.h"

namespace opweave::codegen {

// What the leaves of a formula are called where it is printed.
struct FormulaNames {
  std::function<std::string(uint16_t)> argument;
  std::function<std::string(uint16_t)> result;
  std::function<std::string(uint16_t)> gradient;
  std::function<std::string(uint16_t)> tangent = {};
  // A property of an argument or result; an empty text means: ask the tensor itself.
  std::function<std::string(const FormulaNode& node, const FormulaNames& names)> property = {};
  std::function<std::string(uint16_t)> local = {};
  // The parts of a composite; without them a part is what it stands for.
  FormulaParts* parts = nullptr;
  // What was computed before, as repeated_name() calls it, of what the formula makes several times.
  const RepeatedCalls* repeated = nullptr;
  size_t repeated_count = 0;
  // Whose formula it is: named where a list has no such element, and where a number is too large.
  const Operator* op = nullptr;
  // Mistakes that may stand in the place of what is printed by mutable_expression().
  const Mutants* mutants = nullptr;
  // Whether lists of ints own their elements: where they outlive the expression.
  bool owning_lists = false;
  // What the numbers of rules are called.
  std::string_view integer = "int64_t";
  // Whether sizes may be symbols: then numbers have whatever type they are computed in.
  bool symbolic = false;
};

// The header of the function as which it prints; empty for what needs none.
std::string_view helper_header(const FormulaNode& node);

std::string formula_expression(const FormulaNode& node, const FormulaNames& names);
// The same, but the mutant of the operator that is active at run time instead, if there are
// mutants.
std::string mutable_expression(const Operator& op, const FormulaNode& node,
                               const FormulaNames& names);
// Prints statements that compute what the formula makes several times; then `print(names)` with
// names that know of it.
void with_repeated(Printer& printer, const FormulaNode& formula, FormulaNames names,
                   const std::function<void(const FormulaNames& names)>& print);
// The statements that return what a formula of the operator gives, its parts computed on the way.
void print_formula_body(Printer& printer, const Operator& op, const FormulaNode& formula,
                        FormulaNames names);
// `static <result> <identifier><suffix>(...)`, which returns what the formula makes of the
// operator's arguments.
void print_formula_function(Printer& printer, const Operator& op, const FormulaNode& formula,
                            std::string_view suffix, const Mutants& mutants = Mutants::none());

}  // namespace opweave::codegen
