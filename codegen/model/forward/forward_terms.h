// How operators are differentiated forwards, and a rule for that as the sum that it is: each term
// for some tangents, and linear in them.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// How the tangents of an operator's results are found.
enum class ForwardWay : uint8_t {
  none,         // there are none, or the operators that it calls have theirs
  formula,      // terms of derivatives.yaml
  elementwise,  // its gradients, with tangents for `grad`
  linear,       // the operator itself, of the tangents
  reverse,      // two backward passes
  zero,         // results do not depend on the arguments
  lost,         // refused where what is written has a tangent: some of it may stay
  out,          // refused: what is written into out= has no tangent
};
ForwardWay forward_way(const Operator& op);

std::vector<ForwardFormula::Term> forward_terms(const FormulaNode& formula);

// Whether each term reads tangents, of arguments that have some, and is linear in them.
bool check_terms(const std::vector<ForwardFormula::Term>& terms, const Operator& op,
                 const Derivative& derivative, DiagnosticSink& sink);

}  // namespace opweave::codegen
