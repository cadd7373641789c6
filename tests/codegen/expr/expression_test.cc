// The grammar of expressions.
#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {
namespace {

struct Parsed {
  explicit Parsed(std::string_view text) : source("e", std::string(text)) {
    node = parse_expression({source.text(), &source}, arena, sink);
  }
  Source source;
  SyntaxArena arena;
  DiagnosticSink sink;
  const SyntaxNode* node;
};

std::string error_of(std::string_view text) {
  Parsed parsed(text);
  CHECK(parsed.node == nullptr);
  REQUIRE(parsed.sink.error_count() == 1);
  return parsed.sink.all()[0].message;
}

// The tree with every operation in parentheses.
std::string shape(const SyntaxNode& node) {
  auto operand = [&](size_t i) { return shape(*node.operands[i]); };
  switch (node.kind) {
    case SyntaxKind::group:
      return operand(0);
    case SyntaxKind::unary:
      return "(" + std::string(node.text) + operand(0) + ")";
    case SyntaxKind::binary:
      return "(" + operand(0) + " " + std::string(node.text) + " " + operand(1) + ")";
    case SyntaxKind::conditional:
      return "(" + operand(0) + "?" + operand(1) + ":" + operand(2) + ")";
    default:
      return print(node);
  }
}

std::string shape_of(std::string_view text) {
  Parsed parsed(text);
  INFO(render_all(parsed.sink));
  REQUIRE(parsed.node);
  return shape(*parsed.node);
}

TEST_CASE("canonical expressions print back to the letter") {
  for (std::string_view text : {"a",
                                "0.5",
                                "1e-3",
                                ".5",
                                "'floor'",
                                "\"it's\"",
                                "-a",
                                "!a",
                                "~a",
                                "a + b * c",
                                "(a + b) * c",
                                "a ? b : c",
                                "f()",
                                "f(a, b, k=c)",
                                "x.f(a)",
                                "x.f().g(k=1)",
                                "a[0][1]",
                                "[a, b]",
                                "[]",
                                "grads[0].sum([0, 1], keepdim=true) / x.size(-1)",
                                "a == none ? -1 : a.value()"}) {
    Parsed parsed(text);
    REQUIRE(parsed.node);
    CHECK(print(*parsed.node) == text);
    CHECK(parsed.node->span.text() == text);
  }
}

TEST_CASE("operators bind as in C") {
  CHECK(shape_of("a+b*c-d") == "((a + (b * c)) - d)");
  CHECK(shape_of("a - b - c") == "((a - b) - c)");
  CHECK(shape_of("a || b && c == d") == "(a || (b && (c == d)))");
  CHECK(shape_of("a | b ^ c & d") == "(a | (b ^ (c & d)))");
  CHECK(shape_of("a < b << c + d") == "(a < (b << (c + d)))");
  CHECK(shape_of("-a * b") == "((-a) * b)");
  CHECK(shape_of("-a.f(b)") == "(-a.f(b))");
  CHECK(shape_of("!a == b") == "((!a) == b)");
  CHECK(shape_of("a ? b : c ? d : e") == "(a?b:(c?d:e))");
  CHECK(shape_of("a > b ? c + d : e") == "((a > b)?(c + d):e)");
  CHECK(shape_of("- - a") == "(-(-a))");
}

TEST_CASE("spans are those of the pieces") {
  Parsed parsed("  a + foo(b, k = c)");
  REQUIRE(parsed.node);
  CHECK(parsed.node->span.text() == "a + foo(b, k = c)");
  CHECK(parsed.node->name_span.text() == "+");
  const SyntaxNode& call = *parsed.node->operands[1];
  CHECK(call.span.text() == "foo(b, k = c)");
  CHECK(call.name_span.text() == "foo");
  CHECK(call.keywords[1] == "k");
}

TEST_CASE("what is wrong with an expression") {
  CHECK(error_of("") == "expected a value, found the end");
  CHECK(error_of("a b") == "expected an operator or the end, found 'b'");
  CHECK(error_of("a +") == "expected a value, found the end");
  CHECK(error_of("(a") == "expected ')' to close '(', found the end");
  CHECK(error_of("f(a") == "expected ')' or ',' after an argument, found the end");
  CHECK(error_of("f(k=)") == "expected a value, found ')'");
  CHECK(error_of("[a") == "expected ']' or ',' after an element, found the end");
  CHECK(error_of("a[b") == "expected ']' after an index, found the end");
  CHECK(error_of("a.") == "expected the name of a method after '.', found the end");
  CHECK(error_of("a.b") == "expected '(' after the name of a method, found the end");
  CHECK(error_of("a ? b") == "expected ':' between the two values of '?', found the end");
  CHECK(error_of("1x") == "'1x' is not a number");
  CHECK(error_of("a $ b") == "unexpected character '$'");
  CHECK(error_of("'a") == "this string has no closing quote");
  CHECK(error_of("a = b") == "expected an operator or the end, found '='");
}

TEST_CASE("nesting has a limit") {
  std::string deep(1000, '(');
  CHECK(error_of(deep) == "this expression is nested more than 200 levels deep");
  std::string chain = "a";
  for (int i = 0; i < 300; ++i) chain += " + a";
  CHECK(error_of(chain) == "this expression is nested more than 200 levels deep");
}

TEST_CASE("every beginning of an expression is a value or an error, not a crash") {
  std::string text = "-f(a, [1, 2.5e-3], k='x').g()[0] ? (a && !b) : c << ~d";
  for (size_t size = 0; size < text.size(); ++size) {
    Parsed parsed(text.substr(0, size));
    CHECK((parsed.node != nullptr) == !parsed.sink.has_errors());
  }
}

}  // namespace
}  // namespace opweave::codegen
