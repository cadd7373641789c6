// Tokens of the C++ in PyTorch's formulas.
#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/scanner.h"

namespace opweave::codegen::torch {

enum class CppTokenKind : uint8_t { number, string, identifier, symbol, end, invalid };

struct CppToken {
  CppTokenKind kind = CppTokenKind::end;
  std::string_view text;     // as written, quotes included
  std::string_view comment;  // `/*training=*/` before it; empty if there is none
  Span span;
};

// Hands out one token after the other; `invalid` (reported) ends the text as `end` does.
class CppLexer {
 public:
  CppLexer(const LocatedText& text, DiagnosticSink& sink) : scan_(text), sink_(&sink) {}
  CppToken next();
  // The same, for looking ahead: what is wrong goes to `sink`.
  CppLexer reporting_to(DiagnosticSink& sink) const {
    CppLexer copy = *this;
    copy.sink_ = &sink;
    return copy;
  }

 private:
  bool skip_to_token(std::string_view& comment);
  CppToken number(uint32_t begin);
  CppToken string(uint32_t begin);
  CppToken symbol(uint32_t begin);
  CppToken invalid(uint32_t begin, std::string message);

  Scanner scan_;
  DiagnosticSink* sink_;
};

}  // namespace opweave::codegen::torch
