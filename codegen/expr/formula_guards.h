// What formulas read that may be none: optional arguments for which no condition has asked.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/formula.h"
#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {

using GivenArguments = std::set<uint16_t>;
GivenArguments joined(GivenArguments a, const GivenArguments& b);

// What a condition says of its parts is asked by `ask`, which may know more than this function.
using AskCondition = std::function<GivenArguments(const FormulaNode& condition, bool value)>;
// The arguments that are given where the condition is `value`.
GivenArguments given_by(const FormulaNode& condition, bool value, const AskCondition& ask);
// What the operands before it say when that operand is read.
GivenArguments given_before(const FormulaNode& node, size_t operand, const AskCondition& ask);

using CalledSchemas = std::unordered_map<const FormulaNode*, const Schema*>;
// False after a report: a formula hands something that may be none to what takes a tensor, asks it
// for its sizes, or gives it back as a result that is always there.
bool check_guards(const FormulaNode& formula, std::span<const Type> wanted,
                  const FormulaScope& scope, const CalledSchemas& called, DiagnosticSink& sink);

}  // namespace opweave::codegen
