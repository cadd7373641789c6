// Messages of conditions: `IndexError: dimension {dim} is out of range`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/rules/rule.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

// Text, or an expression that stood in braces.
struct MessagePiece {
  std::string text;
  std::optional<LocatedText> expression;
};

struct Message {
  ErrorClass error = ErrorClass::runtime;
  std::vector<MessagePiece> pieces;
};

// `{{` and `}}` are braces. Nothing if a brace is not closed, which is reported.
std::optional<Message> read_message(const LocatedText& text, DiagnosticSink& sink);

}  // namespace opweave::codegen
