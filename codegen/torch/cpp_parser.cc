// Pratt parser of C++ expressions.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/syntax/precedence.h"
#include "codegen/torch/cpp_type_parser.h"

namespace opweave::codegen::torch {
namespace {

// Words of C++ that begin something else than a name.
constexpr std::string_view kKeywords[] = {
    "auto",   "const", "co_await", "delete", "do",       "else", "for",   "if",   "new",
    "return", "throw", "sizeof",   "switch", "typename", "try",  "using", "while"};

int binary_precedence(const CppToken& token) {
  return token.kind == CppTokenKind::symbol ? codegen::binary_precedence(token.text) : 0;
}

// Null from any parse_ function means: reported, give up.
class CppParser {
 public:
  CppParser(const LocatedText& text, CppArena& arena, DiagnosticSink& sink)
      : in_(text, sink), arena_(arena) {}

  const CppNode* parse() {
    const CppNode* node = parse_from(kConditionalPrecedence);
    if (!node) return nullptr;
    if (in_.token().kind != CppTokenKind::end) {
      in_.fail("an operator or the end");
      return nullptr;
    }
    in_.advance();  // reports a comment at the end
    return in_.token().kind == CppTokenKind::end ? node : nullptr;
  }

 private:
  CppNode& make(CppKind kind, const CppToken& token) {
    CppNode& node = arena_.nodes.emplace_back();
    node.kind = kind;
    node.text = token.text;
    node.span = node.name_span = token.span;
    return node;
  }
  CppNode& take(CppKind kind) {
    CppNode& node = make(kind, in_.token());
    in_.advance();
    return node;
  }
  // Adds an operand; false if the tree becomes too deep.
  bool add(CppNode& node, const CppNode* operand) {
    if (!operand) return false;
    node.operands.push_back(operand);
    node.span = opweave::codegen::join(node.span, operand->span);
    node.depth = std::max<uint16_t>(node.depth, operand->depth + 1);
    return node.depth <= kMaxCppDepth || in_.too_deep(node.span);
  }
  const CppNode* close(CppNode& node, std::string_view symbol, std::string_view where) {
    node.span = opweave::codegen::join(node.span, in_.token().span);
    return in_.expect(symbol, where) ? &node : nullptr;
  }

  const CppNode* parse_from(int min_precedence) {
    if (++nesting_ > kMaxCppDepth) {
      in_.too_deep(in_.token().span);
      return nullptr;
    }
    const CppNode* node = parse_operators(min_precedence);
    --nesting_;
    return node;
  }

  const CppNode* parse_operators(int min_precedence) {
    const CppNode* left = parse_unary();
    while (left) {
      const int precedence = binary_precedence(in_.token());
      if (precedence == 0 || precedence < min_precedence) break;
      left = precedence == kConditionalPrecedence ? parse_conditional(left)
                                                  : parse_binary(left, precedence);
    }
    return left;
  }

  const CppNode* parse_binary(const CppNode* left, int precedence) {
    CppNode& node = take(CppKind::binary);
    return add(node, left) && add(node, parse_from(precedence + 1)) ? &node : nullptr;
  }

  const CppNode* parse_conditional(const CppNode* condition) {
    CppNode& node = take(CppKind::conditional);
    const bool fine = add(node, condition) && add(node, parse_from(kConditionalPrecedence)) &&
                      in_.expect(":", "between the two values of '?'") &&
                      add(node, parse_from(kConditionalPrecedence));
    return fine ? &node : nullptr;
  }

  const CppNode* parse_unary() {
    constexpr std::string_view kUnary[] = {"-", "+", "!", "~", "*", "&"};
    const std::string_view comment = in_.take_comment();
    const bool is_unary =
        std::ranges::any_of(kUnary, [&](std::string_view symbol) { return in_.is(symbol); });
    if (!is_unary) return parse_postfix(comment);
    CppNode& node = take(CppKind::unary);
    node.comment = comment;
    return add(node, parse_from(kUnaryPrecedence)) ? &node : nullptr;
  }

  // The comment belongs to the first thing that is printed.
  CppNode* parse_postfix(std::string_view comment) {
    CppNode* node = parse_primary();
    if (node) node->comment = comment;
    while (node) {
      if (in_.is(".") || in_.is("->")) {
        node = parse_member(node);
      } else if (in_.is("[")) {
        node = parse_index(node);
      } else if (in_.is("(")) {
        node = parse_call(node);
      } else {
        break;
      }
    }
    return node;
  }

  CppNode* parse_member(const CppNode* object) {
    const bool arrow = in_.is("->");
    in_.advance();
    if (in_.token().kind != CppTokenKind::identifier) {
      in_.fail(fmt::format("the name of a member after '{}'", arrow ? "->" : "."));
      return nullptr;
    }
    CppNode& node = take(CppKind::member);
    node.arrow = arrow;
    return add(node, object) ? &node : nullptr;
  }

  CppNode* parse_index(const CppNode* value) {
    CppNode& node = take(CppKind::index);
    const bool fine = add(node, value) && add(node, parse_from(kConditionalPrecedence)) &&
                      close(node, "]", "after an index");
    return fine ? &node : nullptr;
  }

  CppNode* parse_call(const CppNode* callee) {
    CppNode& node = take(CppKind::call);
    const bool fine = add(node, callee) && parse_items(node, ")", "or ',' after an argument");
    return fine ? &node : nullptr;
  }

  bool parse_items(CppNode& node, std::string_view closing, std::string_view where) {
    while (!in_.is(closing)) {
      if (!add(node, parse_from(kConditionalPrecedence))) return false;
      if (!in_.accept(",")) break;
      if (in_.is(closing)) return in_.fail("a value after ','");
    }
    return close(node, closing, where) != nullptr;
  }

  CppNode* parse_primary() {
    switch (in_.token().kind) {
      case CppTokenKind::number:
        return &take(CppKind::number);
      case CppTokenKind::string:
        return &take(CppKind::string);
      case CppTokenKind::identifier:
        return parse_name();
      default:
        break;
    }
    if (in_.is("::")) return parse_name();
    if (in_.is("(")) return parse_group();
    if (in_.is("{")) return parse_braces(take(CppKind::braces));
    if (in_.is("[")) return parse_lambda();
    in_.fail("a value");
    return nullptr;
  }

  CppNode* parse_name() {
    if (std::ranges::find(kKeywords, in_.token().text) != std::end(kKeywords)) {
      in_.fail("a value");
      return nullptr;
    }
    CppNode& node = make(CppKind::name, in_.token());
    CppName& name = arena_.names.emplace_back();
    if (!in_.parse_name(name, false)) return nullptr;
    node.name = &name;
    node.span = node.name_span = name.span;
    if (!in_.is("{")) return &node;
    node.kind = CppKind::braces;
    in_.advance();
    return parse_braces(node);
  }

  // After `{`.
  CppNode* parse_braces(CppNode& node) {
    return parse_items(node, "}", "or ',' after an element") ? &node : nullptr;
  }

  CppNode* parse_group() {
    CppNode& node = take(CppKind::group);
    const bool fine =
        add(node, parse_from(kConditionalPrecedence)) && close(node, ")", "to close '('");
    return fine ? &node : nullptr;
  }

  CppNode* parse_lambda() {
    CppNode& node = take(CppKind::lambda);
    CppLambda& lambda = arena_.lambdas.emplace_back();
    node.lambda = &lambda;
    return parse_captures(lambda) && parse_parameters(lambda) && parse_body(node, lambda) ? &node
                                                                                          : nullptr;
  }

  bool parse_captures(CppLambda& lambda) {
    if (in_.accept("]")) return true;
    do {
      std::string capture;
      if (in_.is("&") || in_.is("=")) capture += take_text();
      if (in_.token().kind == CppTokenKind::identifier) capture += take_text();
      if (capture.empty()) return in_.fail("']' or what the lambda captures");
      lambda.captures.push_back(std::move(capture));
    } while (in_.accept(","));
    return in_.expect("]", "after the captures of a lambda");
  }

  bool parse_parameters(CppLambda& lambda) {
    if (!in_.expect("(", "after the captures of a lambda")) return false;
    if (in_.accept(")")) return true;
    do {
      CppParameter& parameter = lambda.parameters.emplace_back();
      if (!in_.parse_type(parameter.type)) return false;
      if (in_.token().kind == CppTokenKind::identifier) parameter.name = take_text();
    } while (in_.accept(","));
    return in_.expect(")", "after the parameters of a lambda");
  }

  bool parse_body(CppNode& node, CppLambda& lambda) {
    if (in_.accept("->") && !in_.parse_type(lambda.returns.emplace())) return false;
    if (!in_.expect("{", "before the body of a lambda")) return false;
    if (!in_.is_word("return")) return in_.fail("'return': a lambda is one statement");
    in_.advance();
    return add(node, parse_from(kConditionalPrecedence)) && in_.expect(";", "after 'return'") &&
           close(node, "}", "after the body of a lambda");
  }

  std::string_view take_text() {
    const std::string_view text = in_.token().text;
    in_.advance();
    return text;
  }

  CppTypeParser in_;
  CppArena& arena_;
  int nesting_ = 0;
};

}  // namespace

const CppNode* parse_cpp(const LocatedText& text, CppArena& arena, DiagnosticSink& sink) {
  return CppParser(text, arena, sink).parse();
}

}  // namespace opweave::codegen::torch
