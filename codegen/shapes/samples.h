// What rules say of the calls that generated tests make, and which of them they refuse.
#pragma once

#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/model.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// Of one call: what its results look like, or why that is not known.
struct SampleResults {
  Span span;         // of the call where the entry lists it
  Values arguments;  // in the order of the schema
  std::vector<ShapedTensor> results;
  std::string refusal;
  bool data = false;  // refused because the elements decide
};

// For each of the operator's sample calls, with float64 where the call does not name a dtype.
std::vector<SampleResults> results_of_samples(const Operator& op);

// Reports every sample call that its own operator refuses, in whatever dtype: by a condition of
// `require`, by a rule that cannot be evaluated, by the operators that a formula calls. What is not
// known without elements is no refusal.
void check_samples_taken(const Model& model, DiagnosticSink& sink);

}  // namespace opweave::codegen
