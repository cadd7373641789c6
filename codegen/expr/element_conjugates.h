// Conjugates in pointwise trees, and what else has to do with complex numbers.
#pragma once

#include "codegen/expr/element_arena.h"

namespace opweave::codegen {

bool has_conjugates(const ElementNode& root);

// What computes the same of real numbers, which are their own conjugates.
const ElementNode* without_conjugates(const ElementNode& root, ElementArena& arena);

// An operation that complex numbers do not have, such as `<`; null if there is none.
const ElementNode* find_real_only(const ElementNode& root);

}  // namespace opweave::codegen
