// By which rules an operator is differentiated.
#pragma once

#include "codegen/expr/differentiate.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

inline Numbers numbers_of(const Operator& op) {
  return op.dtypes->takes_complex() ? Numbers::complex : Numbers::real;
}

}  // namespace opweave::codegen
