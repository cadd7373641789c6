// Whether two pointwise trees are equal by the laws of algebra, for all finite arguments: where one
// has a finite value, the other has the same.
#pragma once

#include "codegen/expr/element_arena.h"

namespace opweave::codegen {

struct Equality {
  enum class How {
    not_proved,
    where_finite,  // where both are finite; not shown to be so in the same places
    everywhere,
  };

  How how = How::not_proved;
  // They differ at single points, where conditions turn. (Conditions of parameters alone are no
  // such points.)
  bool but_at_kinks = false;
  // Of `where_finite`: what is not finite where the other tree is, in the first or the second.
  const ElementNode* first_not_finite = nullptr;
  const ElementNode* second_not_finite = nullptr;
};

// The trees are in `arena`.
Equality prove_equal(const ElementNode& first, const ElementNode& second, ElementArena& arena);

}  // namespace opweave::codegen
