// Calls of operators in formulas: the overload that fits best, its arguments in schema order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// An operator, or a rule function, which is no operator and has a schema alone.
struct FormulaCallable {
  const Operator* op = nullptr;
  const Schema* schema = nullptr;
};

struct FormulaActual {
  const FormulaNode* node = nullptr;
  std::string_view keyword;  // empty: positional
  Span keyword_span;
};

// Null if no overload takes the arguments, or several do equally well; that is reported, unless
// there is no sink.
const FormulaNode* resolve_call(std::string_view name, Span span,
                                std::span<const FormulaCallable> overloads,
                                std::span<const FormulaActual> actuals, FormulaArena& arena,
                                DiagnosticSink* sink);

// `(Tensor, int, keepdim=bool)`: for messages.
std::string describe(std::span<const FormulaActual> actuals);

}  // namespace opweave::codegen
