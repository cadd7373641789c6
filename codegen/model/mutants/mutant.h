// Mutants: the formulas and expressions of operators with one mistake in each. A generator run with
// `--mutants` prints them beside the right ones, for a number at run time to choose; see
// docs/mutation.md.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

struct ElementNode;
struct FormulaNode;
struct Operator;

struct Mutant {
  int id = 0;          // from 1, in the order of the files
  std::string where;   // "expr", "composite", "batching", "gradient of self", "tangent of result"
  std::string change;  // "a - b -> b - a"
  Span span;           // what was changed, or the entry of the operator if it was derived
  // In a pointwise tree: `element` instead of the node `of_element`.
  const ElementNode* of_element = nullptr;
  const ElementNode* element = nullptr;
  // In a formula: the whole of it instead of `of_formula`.
  const FormulaNode* of_formula = nullptr;
  const FormulaNode* formula = nullptr;
};

// Of all operators; empty in all runs but those that ask for mutants.
class Mutants {
 public:
  explicit Mutants(std::unordered_map<const Operator*, std::vector<Mutant>> of_operators = {})
      : of_operators_(std::move(of_operators)) {}

  const std::vector<Mutant>& of(const Operator& op) const {
    static const std::vector<Mutant> none;
    const auto found = of_operators_.find(&op);
    return found == of_operators_.end() ? none : found->second;
  }
  static const Mutants& none() {
    static const Mutants none;
    return none;
  }
  size_t count() const {
    size_t count = 0;
    for (const auto& [op, mutants] : of_operators_) count += mutants.size();
    return count;
  }

 private:
  std::unordered_map<const Operator*, std::vector<Mutant>> of_operators_;
};

}  // namespace opweave::codegen
