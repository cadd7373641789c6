// Implicit conversions between the types of formulas.
#pragma once

#include <optional>

#include "codegen/expr/formula_arena.h"

namespace opweave::codegen {

// How far a value is from a type: 0 fits as it is; nothing if it does not convert.
std::optional<int> conversion_cost(const FormulaNode& node, const Type& wanted);

// The value as that type. Only for values whose conversion_cost is known.
const FormulaNode* convert_to(const FormulaNode* node, const Type& wanted, FormulaArena& arena);

bool is_number(const Type& type);  // int, float or Scalar; not optional
bool is_none(const FormulaNode& node);

// The type that both values convert to, for `c ? a : b`.
std::optional<Type> common_type(const FormulaNode& a, const FormulaNode& b);

}  // namespace opweave::codegen
