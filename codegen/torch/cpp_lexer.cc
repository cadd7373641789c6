// The tokenizer of C++.
#include "codegen/torch/cpp_lexer.h"

#include <fmt/format.h>

namespace opweave::codegen::torch {
namespace {

// Longer symbols first: the first that fits is taken. `>>` is left out, because it also closes two
// lists of template arguments: the parser sees two `>`.
constexpr std::string_view kSymbols[] = {"->", "::", "<<", "<=", ">=", "==", "!=", "&&", "||",
                                         "++", "--", "+",  "-",  "*",  "/",  "%",  "<",  ">",
                                         "&",  "|",  "^",  "!",  "~",  "?",  ":",  "(",  ")",
                                         "[",  "]",  "{",  "}",  ",",  ".",  ";",  "="};

bool is_number_char(char c) { return is_identifier_char(c) || c == '.' || c == '\''; }

}  // namespace

CppToken CppLexer::next() {
  std::string_view comment;
  uint32_t begin = scan_.position();
  if (!skip_to_token(comment)) return invalid(begin, "this comment has no end");
  begin = scan_.position();
  CppToken token{CppTokenKind::end, {}, {}, scan_.here()};
  const char c = scan_.peek();
  const bool point_number = c == '.' && scan_.rest().size() > 1 && is_digit(scan_.rest()[1]);
  if (is_identifier_start(c)) {
    const std::string_view name = scan_.take_identifier();
    token = {CppTokenKind::identifier, name, {}, scan_.span_from(begin)};
  } else if (is_digit(c) || point_number) {
    token = number(begin);
  } else if (c == '"') {
    token = string(begin);
  } else if (!scan_.at_end()) {
    token = symbol(begin);
  }
  token.comment = comment;
  return token;
}

// False if a comment does not end. Several comments before a token are kept as one.
bool CppLexer::skip_to_token(std::string_view& comment) {
  scan_.skip_blanks();
  const uint32_t begin = scan_.position();
  for (; scan_.rest().starts_with("/*"); scan_.skip_blanks()) {
    const size_t end = scan_.rest().find("*/", 2);
    if (end == std::string_view::npos) return false;
    scan_.rewind(scan_.position() + static_cast<uint32_t>(end) + 2);
    comment = scan_.from(begin);
  }
  return true;
}

CppToken CppLexer::number(uint32_t begin) {
  char last = '\0';
  scan_.take_while([&](char c) {
    const bool sign_of_exponent = (c == '-' || c == '+') && (last == 'e' || last == 'E');
    last = c;
    return is_number_char(c) || sign_of_exponent;
  });
  return {CppTokenKind::number, scan_.from(begin), {}, scan_.span_from(begin)};
}

CppToken CppLexer::string(uint32_t begin) {
  bool escaped = false;
  scan_.rewind(begin + 1);
  scan_.take_while([&](char c) {
    const bool more = (c != '"' || escaped) && c != '\n';
    escaped = c == '\\' && !escaped;
    return more;
  });
  if (!scan_.take("\"")) return invalid(begin, "this string has no closing quote");
  return {CppTokenKind::string, scan_.from(begin), {}, scan_.span_from(begin)};
}

CppToken CppLexer::symbol(uint32_t begin) {
  for (const std::string_view symbol : kSymbols) {
    if (scan_.take(symbol)) return {CppTokenKind::symbol, symbol, {}, scan_.span_from(begin)};
  }
  scan_.rewind(begin + 1);
  return invalid(begin, fmt::format("unexpected character '{}'", scan_.from(begin)));
}

CppToken CppLexer::invalid(uint32_t begin, std::string message) {
  const Span span = scan_.position() > begin ? scan_.span_from(begin) : scan_.here();
  sink_->error(Code::expression_syntax, span, std::move(message));
  return {CppTokenKind::invalid, {}, {}, span};
}

}  // namespace opweave::codegen::torch
