// What the parsers of C++ share: the current token, expectations, names and types.
#pragma once

#include "codegen/torch/cpp_lexer.h"
#include "codegen/torch/cpp_syntax.h"

namespace opweave::codegen::torch {

// Trees deeper than this are refused: later passes recurse.
constexpr int kMaxCppDepth = 200;

// Each parse_ function returns false after reporting.
class CppTypeParser {
 public:
  CppTypeParser(const LocatedText& text, DiagnosticSink& sink) : lexer_(text, sink), sink_(sink) {
    token_ = lexer_.next();
  }

  const CppToken& token() const { return token_; }
  bool is(std::string_view symbol) const {
    return token_.kind == CppTokenKind::symbol && token_.text == symbol;
  }
  bool is_word(std::string_view word) const {
    return token_.kind == CppTokenKind::identifier && token_.text == word;
  }
  void advance();
  bool accept(std::string_view symbol);
  bool expect(std::string_view symbol, std::string_view where);
  // `expected WHAT, found ...`
  bool fail(std::string_view expected);
  bool too_deep(Span span);
  // The comment before the current token, which is an operand and may have one.
  std::string_view take_comment();

  // `a::b<T>`. In an expression `<` begins template arguments only where a call or `{` or `::`
  // follows them, and only after a qualified name: no variable has one.
  bool parse_name(CppName& name, bool in_type);
  bool parse_type(CppType& type);

 private:
  std::string spelling() const;  // of the current token, for messages
  bool parse_segment(CppName& name, bool in_type);
  bool parse_template_arguments(CppSegment& segment);
  bool begins_template_arguments() const;

  CppLexer lexer_;
  DiagnosticSink& sink_;
  CppToken token_;
  int nesting_ = 0;
};

}  // namespace opweave::codegen::torch
