// From expressions to walks.
#include "codegen/model/lowered/fold_program.h"

#include <algorithm>
#include <map>

#include "codegen/expr/element_walk.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/expr/table_texts.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

bool is_element(const ElementNode& node) { return (node.axes & kFoldedAxes) != 0; }

// Puts the meanings of folds in that no single walk computes.
class Expander {
 public:
  explicit Expander(ElementArena& arena)
      : arena_(arena), algebra_(arena), texts_(arena, algebra_) {}

  Node expand(Node node) {
    if (const auto known = done_.find(node); known != done_.end()) return known->second;
    const Node made = rebuild(node);
    return done_[node] = made;
  }

 private:
  Node rebuild(Node node) {
    if (node->operands.empty()) return node;
    std::vector<Node> operands;
    for (Node operand : node->operands) operands.push_back(expand(operand));
    const Node made = arena_.with_operands(*node, operands);
    const bool has_meaning = made->op == ElementOp::fold && !fold_of(*made).is_primitive();
    return has_meaning ? expand(texts_.meaning(*made)) : made;
  }

  ElementArena& arena_;
  ElementAlgebra algebra_;
  TableTexts texts_;
  std::unordered_map<Node, Node> done_;
};

// What costs more than to be read from memory again.
bool is_costly(const ElementNode& node) {
  const Intrinsic* intrinsic = find_intrinsic(node.op);
  if (intrinsic == nullptr || !intrinsic->needs_float) return false;
  switch (node.op) {
    case ElementOp::divide:
    case ElementOp::reciprocal:
    case ElementOp::sqrt:
    case ElementOp::rsqrt:
      return false;
    default:
      return true;
  }
}

class FoldLowering {
 public:
  FoldLowering(const Operator& op, ElementArena& arena) : op_(op), arena_(arena) {}

  FoldProgram lower() {
    const FoldFormula& fold = *op_.elements->fold;
    Expander expander(arena_);
    for (uint16_t i = 0; i < fold.results.size(); ++i) {
      const Node node = expander.expand(fold.results[i]);
      (fold.is_whole(i) ? made_.elements
       : fold.is_row(i) ? made_.row_results
                        : made_.columns)
          .push_back({i, is_sum_of_rows(*node) ? &node->operand(0) : node});
      find_coordinates(*node);
    }
    read_arguments(fold);
    for (const auto* results : {&made_.elements, &made_.columns, &made_.row_results}) {
      for (const ResultValue& result : *results) find_folds(*result.node);
    }
    for (const auto* results : {&made_.elements, &made_.columns}) {
      for (const ResultValue& result : *results) find_values(*result.node);
    }
    for (FoldWalk& walk : made_.walks) {
      for (const FoldTerm& term : walk.terms) find_values(*term.node);
    }
    sort_values();
    number_slots();
    keep_costly();
    put_together();
    return std::move(made_);
  }

 private:
  void read_arguments(const FoldFormula& fold) {
    for (uint16_t i = 0; i < fold.arguments.size(); ++i) {
      if (!op_.schema.arguments[i].type.is_tensor()) continue;
      ((fold.arguments[i] & kFoldedAxes) != 0 ? made_.inputs : made_.rows).push_back(i);
    }
  }

  void find_coordinates(const ElementNode& root) {
    walk(root, seen_coordinates_, [&](const ElementNode& node) {
      const bool is_new = node.op == ElementOp::coordinate &&
                          std::ranges::count(made_.coordinates, node.index) == 0;
      if (is_new) made_.coordinates.push_back(node.index);
    });
  }

  // How many walks have to be behind before it can be computed.
  size_t level(const ElementNode& node) {
    const auto known = levels_.find(&node);
    if (known != levels_.end()) return known->second;
    size_t found = 0;
    for (Node operand : node.operands) found = std::max(found, level(*operand));
    if (node.op == ElementOp::fold) ++found;
    return levels_[&node] = found;
  }

  void find_folds(const ElementNode& root) {
    walk(root, seen_folds_, [&](const ElementNode& node) {
      if (node.op != ElementOp::fold) return;
      const size_t at = level(node.operand(0));
      if (made_.walks.size() <= at) made_.walks.resize(at + 1);
      made_.walks[at].terms.push_back(
          {new_slot(node), static_cast<FoldKind>(node.index), &node.operand(0)});
    });
  }

  // The largest parts of an element that are the same for the whole row.
  void find_values(const ElementNode& node) {
    if (!seen_values_.insert(&node).second) return;
    for (Node operand : node.operands) {
      if (is_element(*operand)) {
        find_values(*operand);
      } else if (!operand->uniform && !operand->operands.empty() &&
                 !made_.slots.contains(operand)) {
        values_.push_back(operand);
        new_slot(*operand);
      }
    }
    // A term that is no element itself cannot be: folds fold what varies.
  }

  uint16_t new_slot(const ElementNode& node) {
    return made_.slots.try_emplace(&node, static_cast<uint16_t>(made_.slots.size())).first->second;
  }

  void sort_values() {
    std::ranges::sort(values_, {}, [](Node node) { return node->id; });
    for (Node node : values_) {
      const size_t at = level(*node);
      FoldWalk& behind = at == 0 ? made_.begin : made_.walks[at - 1];
      behind.values.push_back({made_.slots.at(node), node});
    }
  }

  // Those of one walk follow one another.
  void number_slots() {
    std::unordered_map<uint16_t, uint16_t> numbers;
    const auto number = [&](uint16_t& slot) {
      slot = numbers.try_emplace(slot, static_cast<uint16_t>(numbers.size())).first->second;
    };
    for (RowValue& value : made_.begin.values) number(value.slot);
    for (FoldWalk& walk : made_.walks) {
      for (FoldTerm& term : walk.terms) number(term.slot);
      for (RowValue& value : walk.values) number(value.slot);
    }
    for (auto& [node, slot] : made_.slots) slot = numbers.at(slot);
  }

  // What is added up waits for what was added before: cheap terms are folded several at once.
  void put_together() {
    for (FoldWalk& each : made_.walks) {
      bool costly = false;
      std::unordered_set<Node> seen;
      for (const FoldTerm& term : each.terms) {
        walk(*term.node, seen, [&](const ElementNode& node) {
          costly = costly || (is_element(node) && is_costly(node));
        });
      }
      if (costly || each.terms.size() > 4) continue;
      each.together = each.terms.size() == 1 ? 4 : 2;
    }
  }

  // A costly element that the last walk reads again stays where that one writes.
  void keep_costly() {
    std::map<uint32_t, KeptElement, std::greater<>> wanted;  // those made of others first
    std::unordered_set<Node> last;
    for (const ResultValue& result : made_.elements) walk(*result.node, last, [](const auto&) {});
    for (size_t at = 0; at < made_.walks.size(); ++at) {
      std::unordered_set<Node> seen;
      for (const FoldTerm& term : made_.walks[at].terms) {
        walk(*term.node, seen, [&](const ElementNode& node) {
          if (is_element(node) && is_costly(node) && last.contains(&node))
            wanted.try_emplace(node.id, KeptElement{.walk = at, .node = &node});
        });
      }
    }
    std::unordered_set<Node> covered;
    for (auto& [id, kept] : wanted) {
      if (covered.contains(kept.node) || made_.kept.size() == made_.elements.size()) continue;
      kept.result = made_.elements[made_.kept.size()].result;
      made_.kept.push_back(kept);
      walk(*kept.node, covered, [](const auto&) {});
    }
  }

  const Operator& op_;
  ElementArena& arena_;
  FoldProgram made_;
  std::unordered_map<Node, size_t> levels_;
  std::unordered_set<Node> seen_coordinates_, seen_folds_, seen_values_;
  std::vector<Node> values_;
};

}  // namespace

FoldProgram lower_fold(const Operator& op, ElementArena& arena) {
  return FoldLowering(op, arena).lower();
}

}  // namespace opweave::codegen
