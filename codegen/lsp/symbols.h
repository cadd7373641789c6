// The entries of a document, for the editor's outline.
#pragma once

#include "codegen/lsp/cursor.h"
#include "codegen/lsp/rpc.h"

namespace opweave::codegen::lsp {

// A list of DocumentSymbols: operators, with their keys.
Json document_symbols(const View& view);

}  // namespace opweave::codegen::lsp
