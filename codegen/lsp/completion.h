// What may be written at a place.
#pragma once

#include "codegen/lsp/cursor.h"
#include "codegen/lsp/rpc.h"

namespace opweave::codegen::lsp {

// A list of CompletionItems.
Json completions(const View& view, uint32_t offset);

}  // namespace opweave::codegen::lsp
