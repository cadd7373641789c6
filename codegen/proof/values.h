// The value of one operation, by the table of functions, in numbers of any type.
#pragma once

// Included behind what a type of numbers has instead of the functions of special.h: a template
// finds those that stand before it.
#include <cmath>
#include <limits>

#include "codegen/expr/element.h"

namespace opweave::codegen {

template <class Real>
Real value_of(ElementOp op, const Real& x, [[maybe_unused]] const Real& y) {
  using namespace std;
  [[maybe_unused]] const Real kNoValue = numeric_limits<Real>::quiet_NaN();
  switch (op) {
#define OPWEAVE_INTRINSIC(op, kind, arity, name, symbol, target, math, domain, value, ...) \
  case ElementOp::op:                                                                      \
    return value;
#include "codegen/expr/intrinsics.def"
    case ElementOp::to_boolean:
      return x != 0;
    case ElementOp::to_value:
      return x;
    default:
      return kNoValue;
  }
}

}  // namespace opweave::codegen
