// What rules say of the calls that generated tests make.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/operator.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// Of one call: what its results look like, or why that is not known.
struct SampleResults {
  std::vector<ShapedTensor> results;
  std::string refusal;
  bool data = false;  // refused because the elements decide
};

// For each of the operator's sample calls, with float64 where the call does not name a dtype.
std::vector<SampleResults> results_of_samples(const Operator& op);

}  // namespace opweave::codegen
