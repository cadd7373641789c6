// What the pointers of a model point into.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "codegen/diagnostics/source.h"
#include "codegen/expr/element_arena.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/expr/syntax.h"
#include "codegen/model/derivative.h"
#include "codegen/model/operator.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

struct ModelStorage {
  std::shared_ptr<Sources> sources;
  YamlArena yaml;
  SyntaxArena syntax;
  std::deque<std::string> texts;  // what made syntax points into
  ElementArena elements;
  FormulaArena formulas;
  std::deque<Operator> operators;
  std::deque<Derivative> derivatives;
};

}  // namespace opweave::codegen
