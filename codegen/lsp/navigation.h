// Jumps between operator, derivative, formulas, kernels and tests.
#pragma once

#include <vector>

#include "codegen/lsp/cursor.h"
#include "codegen/lsp/places.h"

namespace opweave::codegen::lsp {

// The entry in ops.yaml, or the argument in its schema.
std::vector<Location> declarations(const View& view, const Cursor& cursor);
// Where it is computed: the handwritten kernels, or the expr or composite.
std::vector<Location> implementations(const View& view, const Cursor& cursor);
// From a use the declaration, from the declaration the implementation.
std::vector<Location> definitions(const View& view, const Cursor& cursor);
// Derivative entry, formulas that call it, kernels, tests.
std::vector<Location> references(const View& view, const Cursor& cursor, bool with_declaration);

}  // namespace opweave::codegen::lsp
