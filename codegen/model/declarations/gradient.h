// How an operator is differentiated.
#pragma once

#include <cstdint>

namespace opweave::codegen {

struct Derivative;

enum class Differentiability : uint8_t {
  none,             // declared or necessarily without gradient: its results never require one
  formula,          // `derivative`, written in derivatives.yaml or derived from the expression
  through,          // composite: autograd sees the operators that it calls
  not_implemented,  // results require a gradient, and running backward through it is an error: so
                    // says its entry, or it is the end of the line of derived gradients
};

struct Gradient {
  Differentiability differentiability = Differentiability::none;
  const Derivative* derivative = nullptr;  // of Differentiability::formula; forms share one
};

}  // namespace opweave::codegen
