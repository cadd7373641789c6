// Rules as the bodies of C++ functions, whose parameters are those of the operator.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/text/printer.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Checks the call, of an operator that has a rule or none.
void print_call_checks(Printer& p, const Operator& op, const Mutants& mutants = Mutants::none());
// How a property of a tensor prints, where it is not the tensor's method; empty: it is.
using RuleProperty = std::function<std::string(const FormulaNode&, const FormulaNames&)>;
// The same, and fills in `ow_results`. `integer` is what its numbers are called.
void print_rule_body(Printer& p, const Operator& op, const Mutants& mutants = Mutants::none(),
                     const RuleProperty& property = {}, std::string_view integer = "int64_t");
// Of a view: checks the call and ends with `make`, an open call: `return make_alias(self, ` gets
// sizes, strides and offset.
void print_view_body(Printer& p, const Operator& op, std::string_view make, const Mutants& mutants,
                     std::string_view integer = "int64_t");

}  // namespace opweave::codegen
