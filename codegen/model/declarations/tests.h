// What generated tests call an operator with.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/declarations/sample.h"

namespace opweave::codegen {

struct Tests {
  std::vector<ArgumentSample> argument_samples;  // for each call that tests make
  std::vector<SampleCall> calls;                 // or the calls themselves
  // What they compare values with: an expression of Python, if it is no formula (formulas.h).
  std::string numpy_reference;
};

}  // namespace opweave::codegen
