// How every operator is differentiated: by the author's formulas, by formulas derived from its
// expression, through its composite, or not at all.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/model/entries/derivative_entry.h"
#include "codegen/model/forward/forward_rules.h"
#include "codegen/model/gradients/derived_gradients.h"
#include "codegen/model/gradients/fold_gradients.h"
#include "codegen/model/operators/expressions.h"

namespace opweave::codegen {

// How to say how the operator is differentiated, for notes.
std::string gradient_statement(const Operator& op);

class Gradients {
 public:
  Gradients(ModelStorage& storage, OperatorTable& table, const std::vector<Draft>& drafts,
            Expressions& expressions, DiagnosticSink& sink);

  // Finds the operators that the entries are for.
  void add(const std::vector<DerivativeEntry>& entries);
  // The same of another library: those for its expressions.
  void add_imported(const std::vector<DerivativeEntry>& entries);
  // Gives every operator its gradient; makes the backward operators that this takes. With
  // `imported` also for the expressions of other libraries.
  void complete(bool imported);

 private:
  void check_target(const DerivativeEntry& entry, const Operator& op);
  Gradient decide(const Draft& draft);
  Gradient decide_imported(const Draft& draft);
  Gradient derive_form(const Operator& form) const;
  bool has_gradient(const Draft& draft) const;
  bool says_not_implemented(const DerivativeEntry& entry);
  Gradient refuse_backward(const Operator& op, const DerivativeEntry& entry);
  void refuse_result_beside(const Operator& op, const DerivativeEntry& entry);
  Gradient use_formulas(const Operator& op, const DerivativeEntry* entry);
  bool add_line(const Operator& op, const DerivativeEntry::Line& line, Derivative& derivative);
  bool add_inputs(const Operator& op, const DerivativeEntry::Line& line, Derivative& derivative,
                  DerivativeFormula& formula);
  void compare(const Operator& op, const DerivativeEntry::Line& line, DerivativeFormula& formula);
  void set_outputs(const Operator& op, const DerivativeEntry* entry, Derivative& derivative);
  void check_gradients_read(const Operator& op, const Derivative& derivative,
                            const DerivativeFormula& formula, Span span);
  void complete_folds(const Operator& op, Derivative& derivative);
  void complete_inputs(const Operator& op, const DerivativeEntry* entry, Derivative& derivative);

  ModelStorage& storage_;
  OperatorTable& table_;
  const std::vector<Draft>& drafts_;
  Expressions& expressions_;
  DiagnosticSink& sink_;
  DerivedGradients derived_;
  FoldGradients folds_;
  ForwardRules forward_;
  std::unordered_map<const Operator*, const Draft*> draft_of_;
  std::unordered_map<const Operator*, DerivativeEntry> entries_;
  std::unordered_map<const Operator*, Gradient> decided_;
};

}  // namespace opweave::codegen
