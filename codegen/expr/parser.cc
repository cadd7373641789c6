// Pratt parser of the expression language.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/formula_methods.h"
#include "codegen/expr/lexer.h"
#include "codegen/expr/syntax.h"
#include "codegen/syntax/precedence.h"
#include "schema/constant_parser.h"
#include "schema/number_text.h"

namespace opweave::codegen {
namespace {

// Trees deeper than this are refused: later passes recurse.
constexpr int kMaxDepth = 200;

int binary_precedence(const Token& token) {
  return token.kind == TokenKind::symbol ? codegen::binary_precedence(token.text) : 0;
}

bool is_comparison(const SyntaxNode& node) {
  if (node.kind != SyntaxKind::binary) return false;
  const int precedence = codegen::binary_precedence(node.text);
  return precedence == codegen::binary_precedence("==") ||
         precedence == codegen::binary_precedence("<");
}

// Those that bind less tightly than comparisons.
bool is_bitwise(std::string_view symbol) { return symbol == "&" || symbol == "|" || symbol == "^"; }

// What other languages write, and this one otherwise.
struct Foreign {
  std::string_view word, meant;
};
constexpr Foreign kForeign[] = {
    {"**", "a power is pow(x, y); square(x) is x * x"},
    {"//", "floor_div(x, y) divides and rounds down"},
    {"and", "'and' is written &&, between truth values"},
    {"or", "'or' is written ||, between truth values"},
    {"not", "'not' is written !"},
    {"if", "a choice is written: condition ? a : b"},
    {"else", "a choice is written: condition ? a : b"},
    {"is", "'is none' is written == none"},
    {"lambda", "expressions have no functions of their own"},
    {"+=", "an expression computes a value and assigns nothing"},
};

// Attributes of Python, and the methods that say the same.
constexpr Foreign kAttributes[] = {
    {"shape", "x.sizes() are all sizes, x.size(d) is one"},
    {"dims", "x.dim() is the number of dimensions"},
    {"nelement", "x.numel() is the number of elements"},
    {"ndim", "x.dim() is the number of dimensions"},
    {"dtype", "x.scalar_type() is the dtype"},
    {"device", "x.device() is the device"},
    {"T", "transpose(x, 0, 1) exchanges two dimensions"},
    {"mT", "transpose(x, -2, -1) exchanges the last two dimensions"},
};

// Empty if nothing is known of the tokens where an expression became unreadable.
std::string_view meant_by(const Token& before, const Token& at) {
  const bool touching = before.span.end == at.span.begin;
  const std::string both = touching ? std::string(before.text) + std::string(at.text) : "";
  for (const Foreign& foreign : kForeign) {
    const bool one = foreign.word == at.text || foreign.word == before.text;
    if (one || foreign.word == both) return foreign.meant;
  }
  return {};
}

// Null from any parse_ function means: reported, give up.
class ExpressionParser {
 public:
  ExpressionParser(const LocatedText& text, SyntaxArena& arena, DiagnosticSink& sink)
      : lexer_(text, sink), arena_(arena), sink_(sink) {
    advance();
  }

  const SyntaxNode* parse() {
    const SyntaxNode* node = parse_from(kConditionalPrecedence);
    if (!node || token_.kind == TokenKind::end) return node;
    return give_up("an operator or the end");
  }

 private:
  void advance() {
    previous_ = token_;
    token_ = lexer_.next();
  }
  bool is(std::string_view symbol) const {
    return token_.kind == TokenKind::symbol && token_.text == symbol;
  }
  bool accept(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view symbol, std::string_view where) {
    if (accept(symbol)) return true;
    fail(fmt::format("'{}' {}", symbol, where));
    return false;
  }
  // What closes the bracket at `open`.
  bool expect_closing(std::string_view symbol, std::string_view where, Span open) {
    if (accept(symbol)) return true;
    if (Diagnostic* error = fail(fmt::format("'{}' {}", symbol, where))) {
      error->note(open, "to match this one");
    }
    return false;
  }
  // Null if the lexer has reported it.
  Diagnostic* fail(std::string_view expected) {
    if (token_.kind == TokenKind::invalid) return nullptr;
    std::string found =
        token_.kind == TokenKind::end ? "the end" : fmt::format("'{}'", token_.text);
    Diagnostic& error = sink_.error(Code::expression_syntax, token_.span,
                                    fmt::format("expected {}, found {}", expected, found));
    if (const std::string_view meant = meant_by(previous_, token_); !meant.empty())
      error.note({}, std::string(meant));
    return &error;
  }
  const SyntaxNode* give_up(std::string_view expected) {
    fail(expected);
    return nullptr;
  }

  SyntaxNode& make(SyntaxKind kind, std::string_view text, Span span) {
    SyntaxNode& node = arena_.emplace_back();
    node.kind = kind;
    node.text = text;
    node.span = node.name_span = span;
    return node;
  }
  // Adds an operand; false if the tree becomes too deep.
  bool add(SyntaxNode& node, const SyntaxNode* operand) {
    node.operands.push_back(operand);
    node.span = join(node.span, operand->span);
    node.depth = std::max<uint16_t>(node.depth, operand->depth + 1);
    if (node.depth <= kMaxDepth) return true;
    sink_.error(Code::too_deep, node.span,
                fmt::format("this expression is nested more than {} levels deep", kMaxDepth));
    return false;
  }

  const SyntaxNode* parse_from(int min_precedence) {
    if (++nesting_ > kMaxDepth) {
      sink_.error(Code::too_deep, token_.span,
                  fmt::format("this expression is nested more than {} levels deep", kMaxDepth));
      return nullptr;
    }
    const SyntaxNode* node = parse_operators(min_precedence);
    --nesting_;
    return node;
  }

  const SyntaxNode* parse_operators(int min_precedence) {
    const SyntaxNode* left = parse_unary();
    while (left) {
      int precedence = binary_precedence(token_);
      if (precedence == 0 || precedence < min_precedence) break;
      left = precedence == kConditionalPrecedence ? parse_conditional(left)
                                                  : parse_binary(left, precedence);
    }
    return left;
  }

  const SyntaxNode* parse_binary(const SyntaxNode* left, int precedence) {
    SyntaxNode& node = make(SyntaxKind::binary, token_.text, token_.span);
    advance();
    const SyntaxNode* right = parse_from(precedence + 1);
    if (!right || !add(node, left) || !add(node, right)) return nullptr;
    const bool first = is_comparison(*left), second = is_comparison(*right);
    if (is_comparison(node) && (first || second)) return no_chain(node);
    if (first != second && is_bitwise(node.text)) return no_bits_of_truth(node);
    return &node;
  }

  const SyntaxNode* refuse(const SyntaxNode& node, std::string problem, std::string meant) {
    sink_.error(Code::expression_syntax, node.name_span, std::move(problem))
        .note({}, std::move(meant));
    return nullptr;
  }

  // `a < b < c` would compare the truth value of `a < b` with c: who means that writes parentheses.
  const SyntaxNode* no_chain(const SyntaxNode& node) {
    const SyntaxNode &left = *node.operands[0], &right = *node.operands[1];
    const bool first = is_comparison(left);
    const SyntaxNode& inner = first ? left : right;
    std::string meant = fmt::format("truth values are compared in parentheses: ({}) {} ({})",
                                    print(left), node.text, print(right));
    if (!is_comparison(right)) {
      meant = fmt::format("that both are so is written: {} && {} {} {}", print(left),
                          print(*left.operands[1]), node.text, print(right));
    } else if (!first) {
      meant = fmt::format("that both are so is written: {} {} {} && {}", print(left), node.text,
                          print(*right.operands[0]), print(right));
    }
    return refuse(node,
                  fmt::format("comparisons do not chain: the truth value of '{}' would be compared",
                              print(inner)),
                  std::move(meant));
  }

  // C has `x & 1 == 0` mean `x & (1 == 0)`, Python `(x & 1) == 0`.
  const SyntaxNode* no_bits_of_truth(const SyntaxNode& node) {
    const SyntaxNode &left = *node.operands[0], &right = *node.operands[1];
    const bool first = is_comparison(left);
    const SyntaxNode& inner = first ? left : right;
    const std::string near =
        first ? fmt::format("{} {} ({} {} {})", print(*left.operands[0]), left.text,
                            print(*left.operands[1]), node.text, print(right))
              : fmt::format("({} {} {}) {} {}", print(left), node.text, print(*right.operands[0]),
                            right.text, print(*right.operands[1]));
    return refuse(
        node,
        fmt::format("'{}' would take the truth value of '{}' as a number", node.text, print(inner)),
        fmt::format("parentheses say what is meant: {}", near));
  }

  const SyntaxNode* parse_conditional(const SyntaxNode* condition) {
    SyntaxNode& node = make(SyntaxKind::conditional, "?", token_.span);
    advance();
    const SyntaxNode* then = parse_from(kConditionalPrecedence);
    if (!then || !expect(":", "between the two values of '?'")) return nullptr;
    const SyntaxNode* otherwise = parse_from(kConditionalPrecedence);
    bool fine = otherwise && add(node, condition) && add(node, then) && add(node, otherwise);
    return fine ? &node : nullptr;
  }

  const SyntaxNode* parse_unary() {
    if (!is("-") && !is("!") && !is("~")) return parse_postfix();
    const Span sign = token_.span;
    SyntaxNode& node = make(SyntaxKind::unary, token_.text, sign);
    advance();
    if (node.text == "-" && is_least()) return parse_least(sign);
    const SyntaxNode* operand = parse_from(kUnaryPrecedence);
    return operand && add(node, operand) ? &node : nullptr;
  }

  // 2^63: a number only behind a sign.
  bool is_least() const {
    return token_.kind == TokenKind::number && !schema::parse_number(token_.text);
  }
  const SyntaxNode* parse_least(Span sign) {
    const SyntaxNode* node =
        &make(SyntaxKind::number, "-9223372036854775808", join(sign, token_.span));
    advance();
    return node;
  }

  const SyntaxNode* parse_postfix() {
    const SyntaxNode* node = parse_primary();
    while (node && (is(".") || is("["))) node = is(".") ? parse_method(node) : parse_index(node);
    return node;
  }

  const SyntaxNode* parse_method(const SyntaxNode* receiver) {
    advance();
    if (token_.kind != TokenKind::identifier) return give_up("the name of a method after '.'");
    SyntaxNode& node = make(SyntaxKind::method_call, token_.text, token_.span);
    advance();
    const Span open = token_.span;
    if (!add(node, receiver)) return nullptr;
    if (const std::string_view hint = attribute_hint(node.text);
        !hint.empty() && token_.text != "(")
      return no_attribute(node, hint);
    if (!is("(")) return no_call(node);
    advance();
    node.keywords.emplace_back();
    node.keyword_spans.emplace_back();
    return parse_call_arguments(node, open);
  }

  const SyntaxNode* no_call(const SyntaxNode& node) {
    Diagnostic* error = fail("'(' after the name of a method");
    const auto known = metadata_methods();
    if (error && std::ranges::count(known, node.text, &MetadataMethod::name) > 0)
      error->note({}, fmt::format("a method is called: .{}()", node.text));
    return nullptr;
  }

  const SyntaxNode* no_attribute(const SyntaxNode& node, std::string_view hint) {
    sink_
        .error(Code::expression_syntax, node.span,
               fmt::format("formulas have no attribute '{}'", node.text))
        .note({}, std::string(hint));
    return nullptr;
  }

  const SyntaxNode* parse_index(const SyntaxNode* value) {
    const Span open = token_.span;
    SyntaxNode& node = make(SyntaxKind::index, "[", open);
    advance();
    const SyntaxNode* index = parse_from(kConditionalPrecedence);
    if (!index || !add(node, value) || !add(node, index)) return nullptr;
    node.span = join(node.span, token_.span);
    return expect_closing("]", "after an index", open) ? &node : nullptr;
  }

  const SyntaxNode* parse_primary() {
    Token token = token_;
    switch (token.kind) {
      case TokenKind::number:
        if (is_least()) {
          sink_.error(Code::expression_syntax, token.span, schema::number_problem(token.text));
          return nullptr;
        }
        advance();
        return &make(SyntaxKind::number, token.text, token.span);
      case TokenKind::string:
        advance();
        return &make(SyntaxKind::string, token.text, token.span);
      case TokenKind::identifier:
        return parse_name();
      default:
        break;
    }
    if (is("(")) return parse_group();
    if (is("[")) return parse_list();
    return give_up("a value");
  }

  const SyntaxNode* parse_name() {
    Token name = token_;
    advance();
    if (!is("(")) return &make(SyntaxKind::identifier, name.text, name.span);
    const Span open = token_.span;
    advance();
    return parse_call_arguments(make(SyntaxKind::call, name.text, name.span), open);
  }

  const SyntaxNode* parse_call_arguments(SyntaxNode& node, Span open) {
    while (!is(")")) {
      std::string_view keyword;
      Span keyword_span;
      const SyntaxNode* argument = parse_call_argument(keyword, keyword_span);
      if (!argument || !add(node, argument)) return nullptr;
      node.keywords.push_back(keyword);
      node.keyword_spans.push_back(keyword_span);
      if (!accept(",")) break;
    }
    node.span = join(node.span, token_.span);
    return expect_closing(")", "or ',' after an argument", open) ? &node : nullptr;
  }

  // `value` or `keyword=value`: an identifier is the keyword if `=` follows.
  const SyntaxNode* parse_call_argument(std::string_view& keyword, Span& keyword_span) {
    const SyntaxNode* argument = parse_from(kConditionalPrecedence);
    if (!argument || !is("=") || argument->kind != SyntaxKind::identifier) return argument;
    keyword = argument->text;
    keyword_span = argument->span;
    advance();
    return parse_from(kConditionalPrecedence);
  }

  const SyntaxNode* parse_group() {
    const Span open = token_.span;
    SyntaxNode& node = make(SyntaxKind::group, "(", open);
    advance();
    const SyntaxNode* inner = parse_from(kConditionalPrecedence);
    if (!inner || !add(node, inner)) return nullptr;
    node.span = join(node.span, token_.span);
    return expect_closing(")", "to close '('", open) ? &node : nullptr;
  }

  const SyntaxNode* parse_list() {
    const Span open = token_.span;
    SyntaxNode& node = make(SyntaxKind::list, "[", open);
    advance();
    while (!is("]")) {
      const SyntaxNode* item = parse_from(kConditionalPrecedence);
      if (!item || !add(node, item)) return nullptr;
      if (!accept(",")) break;
    }
    node.span = join(node.span, token_.span);
    return expect_closing("]", "or ',' after an element", open) ? &node : nullptr;
  }

  Lexer lexer_;
  SyntaxArena& arena_;
  DiagnosticSink& sink_;
  Token token_, previous_;
  int nesting_ = 0;
};

}  // namespace

std::string_view attribute_hint(std::string_view name) {
  const auto* found = std::ranges::find(kAttributes, name, &Foreign::word);
  return found == std::end(kAttributes) ? std::string_view() : found->meant;
}

const SyntaxNode* parse_expression(const LocatedText& text, SyntaxArena& arena,
                                   DiagnosticSink& sink) {
  return ExpressionParser(text, arena, sink).parse();
}

}  // namespace opweave::codegen
