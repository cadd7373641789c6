// What an operator computes, and its gradients, as mathematics.
#pragma once

#include <string>
#include <vector>

#include "codegen/math/math.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

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

// What the results of a call look like, by its rule: `sizes(result) = (size(self, 0), size(mat2,
// 1))`, and their dtypes where they are not those of the first tensor. Of what broadcasts likewise.
// Empty where that follows from other operators or from the elements.
std::vector<Math> shape_math(const Operator& op);
// What a call has to fulfil, in the order in which it is checked.
std::vector<Math> requirement_math(const Operator& op);

// What the names in these equations stand for that the rule gives to values: `d = wrap(dim,
// dim(self))`.
std::vector<Math> where_math(const Operator& op, const std::vector<Math>& equations);

// A formula that belongs to the operator.
Math formula_math(const FormulaNode& formula, const Operator& op);

}  // namespace opweave::codegen
