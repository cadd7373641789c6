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
#include "codegen/model/operators/expressions.h"

namespace opweave::codegen {

class Gradients {
 public:
  Gradients(ModelStorage& storage, OperatorTable& table, const std::vector<Draft>& drafts,
            Expressions& expressions, DiagnosticSink& sink);

  // Finds the operators that the entries are for.
  void add(const std::vector<DerivativeEntry>& entries);
  // The same of another library: those for its expressions.
  void add_imported(const std::vector<DerivativeEntry>& entries);
  // Decides for every operator of the files; makes the backward operators that this takes. With
  // `imported` also for the expressions of other libraries.
  void complete(bool imported);

 private:
  void check_target(const DerivativeEntry& entry, const Operator& op);
  void decide(const Draft& draft);
  void decide_imported(const Draft& draft);
  bool has_gradient(const Draft& draft) const;
  bool says_not_implemented(const DerivativeEntry& entry);
  void refuse_backward(Operator& op, const DerivativeEntry& entry);
  void refuse_result_beside(const Operator& op, const DerivativeEntry& entry);
  void use_formulas(Operator& op, const DerivativeEntry* entry);
  bool add_line(Operator& op, const DerivativeEntry::Line& line, Derivative& derivative);
  bool add_inputs(Operator& op, const DerivativeEntry::Line& line, Derivative& derivative,
                  DerivativeFormula& formula);
  void compare(const Operator& op, const DerivativeEntry::Line& line, DerivativeFormula& formula);
  void set_outputs(const Operator& op, const DerivativeEntry* entry, Derivative& derivative);
  void check_gradients_read(const Operator& op, const Derivative& derivative,
                            const DerivativeFormula& formula, Span span);
  void complete_inputs(Operator& op, const DerivativeEntry* entry, Derivative& derivative);

  ModelStorage& storage_;
  OperatorTable& table_;
  const std::vector<Draft>& drafts_;
  Expressions& expressions_;
  DiagnosticSink& sink_;
  DerivedGradients derived_;
  ForwardRules forward_;
  std::unordered_map<const Operator*, const Draft*> draft_of_;
  std::unordered_map<const Operator*, DerivativeEntry> entries_;
};

}  // namespace opweave::codegen
