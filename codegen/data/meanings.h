// What the functions of expressions mean, and the derivatives of intrinsics.def, as pointwise
// trees.
#pragma once

#include <string_view>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen::data {

// A line of meanings.def, with the word for the kind of intrinsics.def.
struct Meaning {
  ElementOp op;
  std::string_view kind, precision, floats, whole;
};
const Meaning& meaning_of(const Intrinsic& intrinsic);

// A text in the expression language over x, y and r, the result, which are the arguments 0, 1
// and 2. It may have the names that C++ has for functions of the vocabulary. Null if it is empty.
const ElementNode* tree_of(std::string_view text, ElementArena& arena);
// What a function is, by simpler ones; null where it is nothing else than itself, or of bits and
// truth values.
const ElementNode* definition_of(const Intrinsic& intrinsic, ElementArena& arena);

}  // namespace opweave::codegen::data
