// Folds in expressions: what an entry that has `over` says besides, and the calls that fold.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/element_arena.h"
#include "codegen/expr/folds.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

// What names mean in the expressions of an entry that folds.
struct FoldScope {
  std::vector<AxisMask> arguments;  // along which axes the elements of each argument lie
  bool has_folds = true;            // otherwise it only reads coordinates
  // Coordinates, and the values of `where` that stand before.
  std::vector<std::pair<std::string_view, const ElementNode*>> values;

  const ElementNode* find(std::string_view name) const;
};

// Whether the call is a fold, or `any`, `all`, `count` or `size`, which are made of folds. (`max`
// of two operands is none.)
bool is_fold_call(const SyntaxNode& call);

// The names that only entries which fold can call.
std::vector<std::string_view> fold_call_names();

// The call, its operands checked. Null after a report.
const ElementNode* fold_call(const SyntaxNode& call, std::vector<const ElementNode*> operands,
                             const FoldScope& scope, ElementArena& arena, DiagnosticSink& sink);

}  // namespace opweave::codegen
