// Tokens of the expression language.
#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"
#include "codegen/syntax/scanner.h"

namespace opweave::codegen {

enum class TokenKind : uint8_t { number, string, identifier, symbol, end, invalid };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // of a string: without its quotes
  Span span;
};

// Hands out one token after the other; `invalid` (reported) ends the text as `end` does.
class Lexer {
 public:
  Lexer(const LocatedText& text, DiagnosticSink& sink) : scan_(text), sink_(sink) {}
  Token next();

 private:
  Token number(uint32_t begin);
  Token string(uint32_t begin);
  Token symbol(uint32_t begin);

  Scanner scan_;
  DiagnosticSink& sink_;
};

}  // namespace opweave::codegen
