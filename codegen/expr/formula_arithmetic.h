// Operators of formulas between numbers, truth values and constants; never between tensors.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

// `node` is the operation, `operands` its checked operands (one or two). Null if it has no meaning
// for their types, which has been reported, with `instead` as what says it, if that is not empty.
const FormulaNode* check_arithmetic(const SyntaxNode& node,
                                    const std::vector<const FormulaNode*>& operands,
                                    std::string_view instead, FormulaArena& arena,
                                    DiagnosticSink& sink);

}  // namespace opweave::codegen
