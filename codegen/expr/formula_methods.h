// Methods that read what is known of a value without its elements: `x.sizes()`, `x.dim()`, ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

// For help: `x.size(dim) -> int`, and what it is.
struct MetadataMethod {
  std::string_view name;
  std::string written;
  std::string_view doc;
};
std::vector<MetadataMethod> metadata_methods();

// Any other method is a call of an operator.
bool is_metadata_method(std::string_view name, const Type& receiver);

const FormulaNode* check_metadata_method(const SyntaxNode& node, const FormulaNode* receiver,
                                         const std::vector<const FormulaNode*>& arguments,
                                         FormulaArena& arena, DiagnosticSink& sink);

}  // namespace opweave::codegen
