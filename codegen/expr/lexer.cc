// The tokenizer.
#include "codegen/expr/lexer.h"

#include <fmt/format.h>

#include "schema/constant_parser.h"
#include "schema/number_text.h"

namespace opweave::codegen {
namespace {

// Longer symbols first: the first that fits is taken.
constexpr std::string_view kSymbols[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-",
                                         "*",  "/",  "%",  "<",  ">",  "&",  "|",  "^",  "!", "~",
                                         "?",  ":",  "(",  ")",  "[",  "]",  ",",  ".",  "="};

}  // namespace

Token Lexer::next() {
  scan_.skip_blanks();
  uint32_t begin = scan_.position();
  if (scan_.at_end()) return {TokenKind::end, {}, scan_.here()};
  char c = scan_.peek();
  if (is_identifier_start(c)) {
    std::string_view name = scan_.take_identifier();
    return {TokenKind::identifier, name, scan_.span_from(begin)};
  }
  bool point_number = c == '.' && scan_.rest().size() > 1 && is_digit(scan_.rest()[1]);
  if (is_digit(c) || point_number) return number(begin);
  if (c == '\'' || c == '"') return string(begin);
  return symbol(begin);
}

Token Lexer::number(uint32_t begin) {
  char last = '\0';
  scan_.take_while([&](char c) {
    bool sign_of_exponent = (c == '-' || c == '+') && (last == 'e' || last == 'E');
    last = c;
    return is_identifier_char(c) || c == '.' || sign_of_exponent;
  });
  std::string_view text = scan_.from(begin);
  Span span = scan_.span_from(begin);
  // The least whole number is one behind its sign alone, which the parser sees.
  if (schema::parse_number(text) || schema::parse_number("-" + std::string(text)))
    return {TokenKind::number, text, span};
  sink_.error(Code::expression_syntax, span, schema::number_problem(text));
  return {TokenKind::invalid, text, span};
}

Token Lexer::string(uint32_t begin) {
  char quote = scan_.peek();
  scan_.rewind(begin + 1);
  std::string_view text = scan_.take_while([&](char c) { return c != quote && c != '\n'; });
  if (scan_.take(std::string_view(&quote, 1))) {
    return {TokenKind::string, text, scan_.span_from(begin)};
  }
  Span span = scan_.span_from(begin);
  sink_.error(Code::expression_syntax, span, "this string has no closing quote");
  return {TokenKind::invalid, text, span};
}

Token Lexer::symbol(uint32_t begin) {
  for (std::string_view symbol : kSymbols) {
    if (scan_.take(symbol)) return {TokenKind::symbol, symbol, scan_.span_from(begin)};
  }
  Span span = scan_.here();
  const std::string_view character = scan_.rest().substr(0, first_character(scan_.rest()).bytes);
  Diagnostic& error = sink_.error(Code::expression_syntax, span,
                                  fmt::format("unexpected character '{}'", character));
  if (character == "@") error.note({}, "a product of matrices is matmul(x, y)");
  return {TokenKind::invalid, {}, span};
}

}  // namespace opweave::codegen
