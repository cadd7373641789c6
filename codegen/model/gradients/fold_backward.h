// The operator that computes the gradients of one that folds, and the call of it.
#pragma once

#include <map>
#include <vector>

#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/declarations/table.h"

namespace opweave::codegen {

// Of the arguments that have one, each a tree over arguments, gradients and results.
using FoldGradientTrees = std::map<uint16_t, const ElementNode*>;

class FoldBackward {
 public:
  FoldBackward(const Operator& op, const FoldGradientTrees& trees, ModelStorage& storage,
               DiagnosticSink& sink)
      : op_(op), fold_(*op.elements->fold), trees_(trees), storage_(storage), sink_(sink) {
    find_inputs();
  }

  // Makes the operator.
  Operator& make(OperatorTable& table, FormulaEnvironment& environment);
  // What the gradients are: a call of that operator.
  const FormulaNode* call(const Operator& backward);

 private:
  // An argument of the operator: what the forward call knows.
  struct Input {
    enum class Kind : uint8_t { gradient, argument, result, sizes, dtype, mask };
    Kind kind = Kind::argument;
    uint16_t index = 0;  // of the argument or result
  };

  void find_inputs();
  void add(Input::Kind kind, uint16_t index) { inputs_.push_back({kind, index}); }
  bool several_gradients() const;
  bool is_read(uint16_t argument) const;
  // How to say in a rule what the gradient of an argument looks like.
  std::string sizes_of(uint16_t argument) const;
  std::string dtype_of(uint16_t argument) const;
  Schema schema(const OperatorTable& table) const;
  Argument argument_for(const Input& input) const;
  FoldFormula formula() const;
  void give_rule(Operator& made, FormulaEnvironment& environment);
  const FormulaNode* value_of(const Input& input) const;

  const Operator& op_;
  const FoldFormula& fold_;
  const FoldGradientTrees& trees_;
  ModelStorage& storage_;
  DiagnosticSink& sink_;
  std::vector<Input> inputs_;
};

}  // namespace opweave::codegen
