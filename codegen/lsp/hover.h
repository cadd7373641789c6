// What the editor shows about the word under the pointer.
#pragma once

#include <string>

#include "codegen/lsp/cursor.h"

namespace opweave::codegen::lsp {

// Markdown; empty if there is nothing to say.
std::string hover_text(const View& view, const Cursor& cursor);

}  // namespace opweave::codegen::lsp
