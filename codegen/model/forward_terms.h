// A forward rule as the sum that it is: each term for some tangents, and linear in them.
#pragma once

#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/derivative.h"
#include "codegen/model/operator.h"

namespace opweave::codegen {

std::vector<ForwardFormula::Term> forward_terms(const FormulaNode& formula);

// Whether each term reads tangents, of arguments that have some, and is linear in them.
bool check_terms(const std::vector<ForwardFormula::Term>& terms, const Operator& op,
                 const Derivative& derivative, DiagnosticSink& sink);

}  // namespace opweave::codegen
