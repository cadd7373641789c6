// Mistakes in expressions as written.
#include <functional>

#include "codegen/expr/mutations.h"

namespace opweave::codegen {
namespace {

using Node = const SyntaxNode*;
using Rebuild = std::function<Node(Node)>;  // the whole tree with this node in the place at hand

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool is_zero(std::string_view number) {
  return number.substr(0, number.find_first_of("eE")).find_first_not_of("0.") == number.npos;
}

class Mutator {
 public:
  Mutator(FlippedSign flipped, SyntaxArena& arena) : flipped_(flipped), arena_(arena) {}

  std::vector<SyntaxMutation> run(const SyntaxNode& root) {
    if (flipped_ == FlippedSign::value)
      add(root, unary("-", &root), [](Node node) { return node; });
    visit(root, [](Node node) { return node; });
    return std::move(found_);
  }

 private:
  void visit(const SyntaxNode& node, const Rebuild& rebuild) {
    for (Node alternative : alternatives(node)) add(node, alternative, rebuild);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      visit(*node.operands[i], [&](Node operand) {
        SyntaxNode& copy = arena_.emplace_back(node);
        copy.operands[i] = operand;
        return rebuild(&copy);
      });
    }
  }

  void add(const SyntaxNode& node, Node alternative, const Rebuild& rebuild) {
    const std::string from = print(node), to = print(*alternative);
    if (from != to) found_.push_back({rebuild(alternative), node.span, from + " -> " + to});
  }

  std::vector<Node> alternatives(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxKind::binary:
        return of_binary(node);
      case SyntaxKind::unary:
        return {node.operands[0]};
      case SyntaxKind::conditional:
        return {swapped(node, 1, 2)};
      case SyntaxKind::number:
        return is_zero(node.text) ? std::vector<Node>{} : std::vector<Node>{unary("-", &node)};
      case SyntaxKind::identifier:
        return of_name(node);
      case SyntaxKind::index:
        if (flips_gradients() && node.operands[0]->text == "grads") return {unary("-", &node)};
        return {};
      case SyntaxKind::call:
      case SyntaxKind::method_call:
        return of_call(node);
      default:
        return {};
    }
  }

  std::vector<Node> of_binary(const SyntaxNode& node) {
    Node left = node.operands[0], right = node.operands[1];
    const std::string_view op = node.text;
    if (op == "+") return {with_text(node, "-"), left, right};
    if (op == "-") return {with_text(node, "+"), swapped(node, 0, 1), left};
    if (op == "/") return {swapped(node, 0, 1), left};
    if (op == "==") return {with_text(node, "!=")};
    if (op == "!=") return {with_text(node, "==")};
    if (is_one_of(op, {"*", "&&", "||", "&", "|", "^"})) return {left, right};
    return {swapped(node, 0, 1)};
  }

  std::vector<Node> of_name(const SyntaxNode& node) {
    if (node.text == "true") return {with_text(node, "false")};
    if (node.text == "false") return {with_text(node, "true")};
    const bool flips = flips_gradients()
                           ? node.text == "grad"
                           : flipped_ == FlippedSign::tangents && node.text.ends_with("_t");
    return flips ? std::vector<Node>{unary("-", &node)} : std::vector<Node>{};
  }

  // Every pair of arguments swapped, and the first one alone without the call.
  std::vector<Node> of_call(const SyntaxNode& node) {
    std::vector<Node> made;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      for (size_t j = i + 1; j < node.operands.size(); ++j) made.push_back(swapped(node, i, j));
    }
    if (!node.operands.empty()) made.push_back(node.operands[0]);
    return made;
  }

  bool flips_gradients() const { return flipped_ == FlippedSign::gradients; }

  Node with_text(const SyntaxNode& node, std::string_view text) {
    SyntaxNode& copy = arena_.emplace_back(node);
    copy.text = text;
    return &copy;
  }

  Node swapped(const SyntaxNode& node, size_t i, size_t j) {
    SyntaxNode& copy = arena_.emplace_back(node);
    copy.operands[i] = grouped(node.operands[j]);
    copy.operands[j] = grouped(node.operands[i]);
    return &copy;
  }

  // What needs parentheses where it had none before.
  Node grouped(Node node) {
    const bool whole = node->kind != SyntaxKind::binary && node->kind != SyntaxKind::conditional &&
                       node->kind != SyntaxKind::unary;
    return whole ? node : wrap(SyntaxKind::group, "", node);
  }

  Node unary(std::string_view symbol, Node operand) {
    return wrap(SyntaxKind::unary, symbol, grouped(operand));
  }

  Node wrap(SyntaxKind kind, std::string_view text, Node operand) {
    SyntaxNode& node = arena_.emplace_back();
    node.kind = kind;
    node.text = text;
    node.operands = {operand};
    node.keywords.resize(1);
    node.keyword_spans.resize(1);
    node.span = operand->span;
    node.name_span = operand->name_span;
    node.depth = operand->depth;
    return &node;
  }

  FlippedSign flipped_;
  SyntaxArena& arena_;
  std::vector<SyntaxMutation> found_;
};

}  // namespace

std::vector<SyntaxMutation> mutations(const SyntaxNode& root, FlippedSign flipped,
                                      SyntaxArena& arena) {
  return Mutator(flipped, arena).run(root);
}

}  // namespace opweave::codegen
