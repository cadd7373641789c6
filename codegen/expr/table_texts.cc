// Building of what tables say.
#include "codegen/expr/table_texts.h"

#include <utility>
#include <vector>

#include "codegen/expr/intrinsics.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {

const ElementNode* TableTexts::meaning(const ElementNode& node) {
  return build(fold_of(node).meaning, node, Simplify::no);
}

const ElementNode* TableTexts::derivative(const ElementNode& node) {
  return build(fold_of(node).derivative, node, Simplify::yes);
}

const ElementNode* TableTexts::rule(std::string_view text, const ElementNode& node) {
  return build(text, node, Simplify::yes);
}

const ElementNode* TableTexts::build(std::string_view text, const ElementNode& node,
                                     Simplify simplify) {
  node_ = &node;
  simplify_ = simplify;
  return build(parsed(text));
}

const SyntaxNode& TableTexts::parsed(std::string_view text) {
  const SyntaxNode*& syntax = parsed_[text];
  if (!syntax) {
    DiagnosticSink sink;  // the tables are our own: a test parses them all
    syntax = parse_expression({text}, syntax_, sink);
  }
  return *syntax;
}

// Texts use numbers, letters, operators, conditionals, intrinsics and folds.
const ElementNode* TableTexts::build(const SyntaxNode& syntax) {
  if (syntax.kind == SyntaxKind::number) {
    if (simplify_ == Simplify::yes) return algebra_.number(schema::parse_number(syntax.text)->real);
    const bool is_float = syntax.text.find_first_of(".e") != std::string_view::npos;
    return arena_.literal(schema::parse_number(syntax.text)->real, is_float);
  }
  if (syntax.kind == SyntaxKind::group) return build(*syntax.operands[0]);
  if (syntax.kind == SyntaxKind::identifier) return identifier(syntax.text);
  std::vector<Node> operands;
  for (const SyntaxNode* operand : syntax.operands) operands.push_back(build(*operand));
  if (syntax.kind == SyntaxKind::conditional) return apply(ElementOp::select, std::move(operands));
  const bool call = syntax.kind == SyntaxKind::call;
  const Intrinsic* intrinsic =
      call ? find_intrinsic(syntax.text) : find_intrinsic_symbol(syntax.text, operands.size());
  const bool fits = intrinsic != nullptr && intrinsic->arity == operands.size();
  if (fits) return apply(intrinsic->op, std::move(operands));
  return arena_.fold(static_cast<uint16_t>(find_fold(syntax.text)->kind), operands, node_->over);
}

const ElementNode* TableTexts::identifier(std::string_view name) {
  if (name == "x") return &node_->operand(0);
  if (name == "y") return &node_->operand(1);
  if (name == "n") return arena_.extent(node_->over);
  if (name == "i") return arena_.coordinate(kFoldedPlace, node_->over);
  return node_;
}

const ElementNode* TableTexts::apply(ElementOp op, std::vector<Node> operands) {
  return simplify_ == Simplify::yes ? algebra_.apply(op, operands) : arena_.apply(op, operands);
}

}  // namespace opweave::codegen
