// Calls of pointwise operators inside pointwise expressions: binding of arguments, then inlining.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/element_checker.h"
#include "codegen/expr/element_inline.h"

namespace opweave::codegen {

struct ElementArgumentSyntax {
  std::string_view keyword;
  Span keyword_span;
  Span span;
  ElementActual actual;
};

// The tree of the first overload that takes these arguments; null if none does, which is reported.
const ElementNode* call_element(const SyntaxNode& call,
                                const std::vector<ElementCallable>& overloads,
                                const std::vector<ElementArgumentSyntax>& arguments,
                                ElementArena& arena, DiagnosticSink& sink);

}  // namespace opweave::codegen
