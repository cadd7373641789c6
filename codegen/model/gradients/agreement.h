// An author's formula beside the derivative of the operator's own expression.
#pragma once

#include <string>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// How they agree, for a formula at `span`. Where they do not, which is reported with a
// counterexample, the answer is that they were compared in numbers.
Agreement check_agreement(const Operator& op, const DerivativeFormula& formula, Span span,
                          DiagnosticSink& sink);

// Of an agreement by algebra or in numbers: "by algebra", "at 120 points", and what is to be said
// of it.
std::string how_equal(const Agreement& agreement);

}  // namespace opweave::codegen
