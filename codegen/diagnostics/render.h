// Diagnostics as text for people: place, code, message, the line and a caret under the characters.
#pragma once

#include <string>

#include "codegen/diagnostics/diagnostic.h"

namespace opweave::codegen {

struct RenderOptions {
  bool color = false;
};

// The message with its "did you mean".
std::string full_message(const Diagnostic& diagnostic);
std::string render(const Diagnostic& diagnostic, const RenderOptions& options = {});
// All of them, and a last line that counts the errors and warnings. Empty if there are none.
std::string render_all(const DiagnosticSink& sink, const RenderOptions& options = {});

}  // namespace opweave::codegen
