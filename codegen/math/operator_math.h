// What an operator computes, and its gradients, as mathematics.
#pragma once

#include <string>
#include <vector>

#include "codegen/math/math.h"
#include "codegen/model/derivative.h"
#include "codegen/model/operator.h"

namespace opweave::codegen {

// `silu(self) = self·σ(self)`. Null for operators with kernels of their own.
Math value_math(const Operator& op);

struct GradientMath {
  std::vector<uint16_t> arguments;  // indices of the inputs that the equation is about
  Math equation;
};
// Of a pointwise gradient `∂silu/∂self = …`; of others the formula as it is, where `grad` is the
// gradient of the result: `grad_self = mm(grad, t(mat2))`. In the order of the arguments; those
// without a gradient are left out.
std::vector<GradientMath> gradient_math(const Operator& op);

// How the tangents of its results follow from those of its arguments, by the forward rule:
// `dresult = cos(self)·dself`. Empty where there is none.
std::vector<Math> forward_math(const Operator& op);
// Where that rule comes from, in words: `by two backward passes`. Empty for operators without
// tangents.
std::string forward_source(const Operator& op);

// A formula that belongs to the operator.
Math formula_math(const FormulaNode& formula, const Operator& op);

}  // namespace opweave::codegen
