// What the pointers of a model point into.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "codegen/diagnostics/source.h"
#include "codegen/expr/element_arena.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/expr/syntax.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// A formula with what it was read from and checked against, for passes that check variants of it.
struct WrittenFormula {
  const Operator* op = nullptr;
  std::string where;  // "composite", "batching", "gradient of self", "tangent of result"
  const FormulaNode* formula = nullptr;
  const SyntaxNode* syntax = nullptr;  // null: derived from an expression
  FormulaScope scope;
  std::vector<Type> wanted;
};

// The gradient of a pointwise operator that a formula over other operators computes, and its tree.
struct DerivedGradient {
  WrittenFormula written;
  const ElementNode* tree = nullptr;
};

struct ModelStorage {
  std::shared_ptr<Sources> sources;
  YamlArena yaml;
  SyntaxArena syntax;
  std::deque<std::string> texts;  // what made syntax points into
  // A text that no file has, which reports say the name of.
  LocatedText made_text(std::string name, std::string text) const {
    const Source* source = sources->add(std::move(name), std::move(text));
    return {.text = source->text(), .source = source};
  }
  ElementArena elements;
  FormulaArena formulas;
  std::deque<Operator> operators;
  std::deque<Derivative> derivatives;
  std::deque<Rule> rules;
  std::deque<FoldFormula> folds;
  // For mutants alone; empty in other runs.
  bool keeps_written = false;
  std::deque<WrittenFormula> written;
  std::deque<DerivedGradient> derived;
};

}  // namespace opweave::codegen
