// The dtypes that an expression is computed in, and what becomes of the numbers that a call is
// given, decided once for all outputs.
#pragma once

#include <cstdint>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// What a number has to have a place in, or the call is refused.
enum class NumberPlace : uint8_t {
  anywhere,     // nothing: it stands for a tensor (`a + 300`), and wraps like one; or is no number
  computation,  // the dtype of the computation
  element,      // the dtype of the result, whose element it may be (`masked_fill`)
  one_element,  // the same, but beyond a float of 16 bits it is infinite: it stands for a tensor of
                // one element (`where`)
};

// What there have to be loops for. Whole numbers that become floats are never computed with: they
// become the default floating dtype, which may be any.
DTypeSet computed_dtypes(const Operator& op);

// What loops are made for. Of a whole library the target says it: operators that make floats of
// integers have all floating types. Of a selection, the types that are selected.
struct LoopTypes {
  DtypeMask dtypes;
  bool int_to_float;
};
LoopTypes loop_types(const Operator& op);

NumberPlace place_of_number(const Operator& op, uint16_t argument);
// Whether a number is rounded where the operator computes in a dtype of 16 bits.
bool is_rounded(const Operator& op, uint16_t argument);

}  // namespace opweave::codegen
