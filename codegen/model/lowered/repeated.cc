// Equal calls in a formula.
#include "codegen/model/lowered/repeated.h"

#include <algorithm>
#include <functional>

#include "codegen/model/declarations/operator.h"
#include "codegen/model/lowered/same_formula.h"

namespace opweave::codegen {
namespace {

bool gives_a_tensor(const FormulaNode& node) {
  return node.type.is_tensor() && !node.type.optional &&
         (node.kind == FormulaKind::call ||
          (node.kind == FormulaKind::convert && node.conversion == Conversion::number_to_tensor));
}

// Random numbers are drawn for each call, and what writes an argument does it each time.
bool is_pure(const FormulaNode& node) {
  if (node.op != nullptr) {
    const auto is_chance = [](const std::string& tag) {
      return tag == "random" || tag == "nondeterministic";
    };
    if (!node.op->effects.mutated.empty() || std::ranges::any_of(node.op->face->tags, is_chance))
      return false;
  }
  return std::ranges::all_of(node.operands,
                             [](const FormulaNode* operand) { return is_pure(*operand); });
}

// How many operands are computed whatever the first one says.
size_t certain_operands(const FormulaNode& node) {
  const bool first_alone =
      node.kind == FormulaKind::conditional || node.symbol == "&&" || node.symbol == "||";
  return first_alone ? 1 : node.operands.size();
}

size_t mixed(size_t hash, size_t more) { return hash * 0x9e3779b97f4a7c15U + more + 1; }

// Equal for formulas that are the same, but for the order of symmetric functions' operands.
class Hashes {
 public:
  size_t of(const FormulaNode& node) {
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    size_t hash = mixed(static_cast<size_t>(node.kind), node.index);
    hash = mixed(hash, std::hash<const void*>{}(node.op));
    hash = mixed(hash, std::hash<std::string_view>{}(node.symbol));
    if (node.constant != nullptr) {
      hash = mixed(hash, std::hash<double>{}(node.constant->real));
      hash = mixed(hash, std::hash<int64_t>{}(node.constant->integer));
    }
    size_t operands = 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const size_t operand = of(node.operand(i));
      operands += node.function != nullptr ? operand : mixed(operand, i);
    }
    return known_[&node] = mixed(hash, operands);
  }

 private:
  std::unordered_map<const FormulaNode*, size_t> known_;
};

// Classes of equal calls: how often each is computed for certain, and where first.
class Search {
 public:
  struct Class {
    const FormulaNode* first;
    size_t count = 0;
  };

  // The operands of what was met before are computed with it.
  void count(const FormulaNode& node) {
    if (gives_a_tensor(node) && is_pure(node) && ++class_of(node).count > 1) return;
    for (size_t i = 0; i < certain_operands(node); ++i) count(node.operand(i));
  }

  Class& class_of(const FormulaNode& node) {
    std::vector<Class>& alike = classes_[hashes_.of(node)];
    const auto found = std::ranges::find_if(
        alike, [&](const Class& c) { return is_same_formula(*c.first, node); });
    return found != alike.end() ? *found : alike.emplace_back(Class{&node});
  }

 private:
  Hashes hashes_;
  std::unordered_map<size_t, std::vector<Class>> classes_;
};

// Numbers the classes that are met again, behind those that they need.
class Numbering {
 public:
  Numbering(Search& search, std::vector<const FormulaNode*>& values,
            std::unordered_map<const FormulaNode*, size_t>& places)
      : search_(search), values_(values), places_(places) {}

  void visit(const FormulaNode& node) {
    const Search::Class* found = gives_a_tensor(node) ? &search_.class_of(node) : nullptr;
    const FormulaNode* value = found != nullptr && found->count > 1 ? found->first : nullptr;
    const auto known = value != nullptr ? numbers_.find(value) : numbers_.end();
    if (known != numbers_.end()) {
      places_[&node] = known->second;
      return;
    }
    for (const FormulaNode* operand : node.operands) visit(*operand);
    if (value == nullptr) return;
    numbers_[value] = places_[&node] = values_.size();
    values_.push_back(&node);  // whose operands have their places
  }

 private:
  Search& search_;
  std::vector<const FormulaNode*>& values_;
  std::unordered_map<const FormulaNode*, size_t>& places_;
  std::unordered_map<const FormulaNode*, size_t> numbers_;
};

}  // namespace

RepeatedCalls::RepeatedCalls(const FormulaNode& formula) {
  Search search;
  search.count(formula);
  Numbering(search, values_, places_).visit(formula);
}

std::optional<size_t> RepeatedCalls::place_of(const FormulaNode& node) const {
  const auto found = places_.find(&node);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace opweave::codegen
