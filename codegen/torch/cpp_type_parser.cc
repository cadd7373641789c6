// Names and types of C++.
#include "codegen/torch/cpp_type_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace opweave::codegen::torch {
namespace {

// What can stand between `<` and `>` of template arguments.
bool fits_template_arguments(const CppToken& token) {
  constexpr std::string_view kSymbols[] = {"::", ",", "<", ">", "&", "*"};
  if (token.kind == CppTokenKind::symbol)
    return std::ranges::find(kSymbols, token.text) != std::end(kSymbols);
  return token.kind == CppTokenKind::identifier || token.kind == CppTokenKind::number;
}

}  // namespace

void CppTypeParser::advance() {
  if (!token_.comment.empty()) {
    sink_.error(Code::expression_syntax, token_.span,
                fmt::format("a comment stands before {}, which is no value", spelling()));
    token_.kind = CppTokenKind::invalid;
    return;
  }
  if (token_.kind != CppTokenKind::invalid) token_ = lexer_.next();
}

std::string CppTypeParser::spelling() const {
  return token_.kind == CppTokenKind::end ? "the end" : fmt::format("'{}'", token_.text);
}

bool CppTypeParser::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  advance();
  return true;
}

bool CppTypeParser::expect(std::string_view symbol, std::string_view where) {
  return accept(symbol) || fail(fmt::format("'{}' {}", symbol, where));
}

bool CppTypeParser::fail(std::string_view expected) {
  if (token_.kind == CppTokenKind::invalid) return false;
  sink_.error(Code::expression_syntax, token_.span,
              fmt::format("expected {}, found {}", expected, spelling()));
  token_.kind = CppTokenKind::invalid;
  return false;
}

bool CppTypeParser::too_deep(Span span) {
  sink_.error(Code::too_deep, span,
              fmt::format("this expression is nested more than {} levels deep", kMaxCppDepth));
  token_.kind = CppTokenKind::invalid;
  return false;
}

std::string_view CppTypeParser::take_comment() { return std::exchange(token_.comment, {}); }

bool CppTypeParser::parse_name(CppName& name, bool in_type) {
  name.span = token_.span;
  name.global = accept("::");
  do {
    if (!parse_segment(name, in_type)) return false;
  } while (accept("::"));
  name.span = opweave::codegen::join(name.span, name.last().span);
  return true;
}

bool CppTypeParser::parse_segment(CppName& name, bool in_type) {
  if (token_.kind != CppTokenKind::identifier) return fail("a name");
  CppSegment& segment = name.segments.emplace_back();
  segment.text = token_.text;
  segment.span = token_.span;
  advance();
  if (!is("<")) return true;
  const bool is_template = in_type || (name.is_qualified() && begins_template_arguments());
  return !is_template || parse_template_arguments(segment);
}

bool CppTypeParser::begins_template_arguments() const {
  DiagnosticSink unheard;
  CppLexer ahead = lexer_.reporting_to(unheard);
  int depth = 1;
  while (depth > 0) {
    const CppToken token = ahead.next();
    if (!fits_template_arguments(token)) return false;
    if (token.text == "<") ++depth;
    if (token.text == ">") --depth;
  }
  const CppToken next = ahead.next();
  return next.kind == CppTokenKind::symbol &&
         (next.text == "(" || next.text == "{" || next.text == "::");
}

bool CppTypeParser::parse_template_arguments(CppSegment& segment) {
  if (++nesting_ > kMaxCppDepth) return too_deep(token_.span);
  advance();
  segment.is_template = true;
  do {
    CppType& type = segment.arguments.emplace_back();
    if (token_.kind == CppTokenKind::number) {
      type.number = token_.text;
      advance();
    } else if (!parse_type(type)) {
      return false;
    }
  } while (accept(","));
  --nesting_;
  segment.span = opweave::codegen::join(segment.span, token_.span);
  return expect(">", "or ',' after a template argument");
}

bool CppTypeParser::parse_type(CppType& type) {
  type.is_const = is_word("const");
  if (type.is_const) advance();
  if (!parse_name(type.name, true)) return false;
  if (is("&") || is("*") || is("&&")) {
    type.suffix = token_.text;
    advance();
  }
  return true;
}

}  // namespace opweave::codegen::torch
