// Factors in common.
#include "codegen/model/folds/fold_tidy.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "codegen/expr/folds.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

// The elements of both, each as often as it is in both; they are taken out.
std::vector<Node> taken_from_both(std::vector<Node>& a, std::vector<Node>& b) {
  std::vector<Node> both;
  for (size_t i = 0; i < a.size();) {
    const auto found = std::ranges::find(b, a[i]);
    if (found == b.end()) {
      ++i;
      continue;
    }
    both.push_back(a[i]);
    a.erase(a.begin() + static_cast<std::ptrdiff_t>(i));
    b.erase(found);
  }
  return both;
}

bool take_all(std::vector<Node>& from, const std::vector<Node>& part) {
  for (Node factor : part) {
    const auto found = std::ranges::find(from, factor);
    if (found == from.end()) return false;
    from.erase(found);
  }
  return true;
}

}  // namespace

FoldTidy::FoldTidy(ElementArena& arena, std::vector<std::pair<Node, Node>> known)
    : arena_(arena), algebra_(arena) {
  for (const auto& [node, leaf] : known) known_.push_back({node, leaf, factors(node)});
}

const ElementNode* FoldTidy::tidy(Node node) {
  if (const auto done = done_.find(node); done != done_.end()) return done->second;
  Node made = nullptr;
  for (const Known& known : known_) {
    if (known.node == node) made = known.leaf;
  }
  if (made == nullptr) made = rebuild(node);
  return done_[node] = made;
}

const ElementNode* FoldTidy::rebuild(Node node) {
  switch (node->op) {
    case ElementOp::add:
    case ElementOp::subtract:
      return sum(node);
    case ElementOp::multiply:
    case ElementOp::divide:
    case ElementOp::negate:
      return product(node);
    default:
      break;
  }
  if (node->operands.empty()) return node;
  std::vector<Node> operands;
  for (Node operand : node->operands) operands.push_back(tidy(operand));
  if (is_fold(*node, FoldKind::sum)) return algebra_.sum(operands[0], node->over);
  if (node->op == ElementOp::fold) return arena_.with_operands(*node, operands);
  return algebra_.apply(node->op, operands);
}

const ElementNode* FoldTidy::sum(Node node) {
  const Node first = tidy(&node->operand(0)), second = tidy(&node->operand(1));
  const bool branches = first->op == ElementOp::select && second->op == ElementOp::select &&
                        &first->operand(0) == &second->operand(0);
  if (branches) {
    const auto branch = [&](size_t i) {
      return tidy(
          algebra_.apply(node->op, std::vector<Node>{&first->operand(i), &second->operand(i)}));
    };
    return algebra_.select(&first->operand(0), branch(1), branch(2));
  }
  Product a = factors(first), b = factors(second);
  Product common;
  common.over = taken_from_both(a.over, b.over);
  common.under = taken_from_both(a.under, b.under);
  const Node terms =
      algebra_.apply(node->op, std::vector<Node>{made_of(std::move(a)), made_of(std::move(b))});
  if (common.over.empty() && common.under.empty()) return terms;
  common.over.push_back(terms);
  return made_of(std::move(common));
}

const ElementNode* FoldTidy::product(Node node) {
  Product product;
  add_factors(node, false, product);
  // Sums inside may have factors of their own.
  Product whole{.number = product.number};
  for (Node factor : product.over) add_factors(tidy(factor), false, whole);
  for (Node factor : product.under) add_factors(tidy(factor), true, whole);
  taken_from_both(whole.over, whole.under);
  for (const Known& known : known_) {
    const bool several = known.product.over.size() + known.product.under.size() > 1;
    if (!several || known.product.number != 1) continue;
    Product rest = whole;
    if (take(rest, known.product)) {
      rest.over.push_back(known.leaf);
      whole = std::move(rest);
    }
    put_into_sums(known, whole);
  }
  return made_of(std::move(whole));
}

// `sum(x * e) / s` is the sum of `x * y` where y is `e / s`, and s the same for the whole row.
void FoldTidy::put_into_sums(const Known& known, Product& product) {
  const auto part = [](const Product& of, bool row) {
    Product made;
    const auto fits = [&](Node node) { return ((node->axes & kFoldedAxes) == 0) == row; };
    std::ranges::copy_if(of.over, std::back_inserter(made.over), fits);
    std::ranges::copy_if(of.under, std::back_inserter(made.under), fits);
    return made;
  };
  const Product row = part(known.product, true), elements = part(known.product, false);
  if (row.over.empty() && row.under.empty()) return;
  for (size_t i = 0; i < product.over.size(); ++i) {
    const Node factor = product.over[i];
    if (!is_fold(*factor, FoldKind::sum) || factor->over != kFoldedAxes) continue;
    Product rest = product, terms = factors(&factor->operand(0));
    rest.over.erase(rest.over.begin() + static_cast<std::ptrdiff_t>(i));
    if (!take(rest, row) || !take(terms, elements)) continue;
    terms.over.push_back(known.leaf);
    add_factors(algebra_.sum(made_of(std::move(terms)), kFoldedAxes), false, rest);
    product = std::move(rest);
    return;
  }
}

FoldTidy::Product FoldTidy::factors(Node node) const {
  Product product;
  add_factors(node, false, product);
  return product;
}

void FoldTidy::add_factors(Node node, bool under, Product& product) const {
  switch (node->op) {
    case ElementOp::literal:
      if (node->number == 0) break;
      under ? product.number /= node->number : product.number *= node->number;
      return;
    case ElementOp::negate:
      product.number = -product.number;
      return add_factors(&node->operand(0), under, product);
    case ElementOp::multiply:
      add_factors(&node->operand(0), under, product);
      return add_factors(&node->operand(1), under, product);
    case ElementOp::divide:
      add_factors(&node->operand(0), under, product);
      return add_factors(&node->operand(1), !under, product);
    default:
      break;
  }
  (under ? product.under : product.over).push_back(node);
}

// What is the same for the whole row is one factor, which is computed once.
const ElementNode* FoldTidy::made_of(Product product) {
  for (auto* part : {&product.over, &product.under}) std::ranges::sort(*part, {}, &ElementNode::id);
  const auto part = [&](bool of_row, Node made) {
    const auto fits = [&](Node node) { return ((node->axes & kFoldedAxes) == 0) == of_row; };
    for (Node factor : product.over) {
      if (fits(factor)) made = algebra_.multiply(made, factor);
    }
    for (Node factor : product.under) {
      if (fits(factor)) made = algebra_.divide(made, factor);
    }
    return made;
  };
  const Node row = part(true, algebra_.number(product.number));
  const Node elements = part(false, algebra_.number(1));
  const bool plain = is_literal(*row) || is_literal(*elements);
  return plain ? algebra_.multiply(row, elements)
               : arena_.apply(ElementOp::multiply, {row, elements});
}

bool FoldTidy::take(Product& product, const Product& part) const {
  return take_all(product.over, part.over) && take_all(product.under, part.under);
}

}  // namespace opweave::codegen
