// Forward rules: how the tangents of an operator's outputs follow from those of its inputs, as an
// entry of derivatives.yaml says under the names of the outputs.
#pragma once

#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/storage.h"
#include "codegen/model/entries/derivative_entry.h"

namespace opweave::codegen {

class ForwardRules {
 public:
  ForwardRules(ModelStorage& storage, FormulaEnvironment& environment, DiagnosticSink& sink)
      : storage_(storage), environment_(environment), sink_(sink) {}

  // Whether the line is one of an output and not a gradient.
  bool is_forward(const Operator& op, const DerivativeEntry::Line& line) const;
  // The rules of the entry. The gradients of `derivative` are complete.
  void add(const Operator& op, const DerivativeEntry& entry, Derivative& derivative);

 private:
  void add_line(const Operator& op, const DerivativeEntry::Line& line, Derivative& derivative);
  bool check_output(const Operator& op, const DerivativeEntry::Line& line,
                    const Derivative& derivative, uint16_t output);
  bool check_elementwise(const Operator& op, const DerivativeEntry::Line& line,
                         const Derivative& derivative);
  bool check_linear(const Operator& op, const DerivativeEntry::Line& line,
                    const Derivative& derivative);
  void check_all_given(const Operator& op, const DerivativeEntry& entry,
                       const Derivative& derivative);
  bool read_formula(const Operator& op, const DerivativeEntry::Line& line,
                    const Derivative& derivative, ForwardFormula& formula);

  ModelStorage& storage_;
  FormulaEnvironment& environment_;
  DiagnosticSink& sink_;
};

}  // namespace opweave::codegen
