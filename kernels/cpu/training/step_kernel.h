// Loops of optimizer steps that treat every element alike, over dense arrays of a floating dtype.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/plans/optimizer_rules.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// Of one parameter; the states that there are, in the order in which the operators name them.
struct StepArrays {
  void* parameter;
  const void* gradient;
  std::array<void*, 3> states;
};

template <class Rule>
using StepLoop = void (*)(const Rule& rule, const StepArrays& arrays, int64_t begin, int64_t end);

// One step on elements [begin, end).
struct StepKernel {
  StepLoop<plans::SgdRule> sgd;
  StepLoop<plans::AdamRule> adam;
  StepLoop<plans::AdagradRule> adagrad;
  StepLoop<plans::AdadeltaRule> adadelta;
  StepLoop<plans::AdamaxRule> adamax;
  StepLoop<plans::MomentsRule> moments;
  StepLoop<plans::RmspropRule> rmsprop;
  StepLoop<plans::RpropRule> rprop;
  StepLoop<plans::AsgdRule> asgd;
};
// Null for dtypes that are not floating.
StepKernel step_kernel(ScalarType dtype);

}  // namespace opweave::cpu
