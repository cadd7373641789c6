// Mutants: the formulas and expressions of operators with one mistake in each. A generator run with
// `--mutants` prints them beside the right ones, for a number at run time to choose; see
// docs/mutation.md.
#pragma once

#include <string>

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

struct ElementNode;
struct FormulaNode;

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

}  // namespace opweave::codegen
