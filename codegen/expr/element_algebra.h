// Makes pointwise nodes in simplified form: what symbolic differentiation is built with.
#pragma once

#include "codegen/expr/element_arena.h"

namespace opweave::codegen {

// The rules are those of real numbers: 0 * x is 0 even where x may be infinite. They are meant for
// derivatives, never for what an author wrote.
class ElementAlgebra {
 public:
  using Node = const ElementNode*;

  explicit ElementAlgebra(ElementArena& arena) : arena_(arena) {}

  Node number(double value);
  Node apply(ElementOp op, ElementArena::Operands operands);

  Node add(Node a, Node b);
  Node subtract(Node a, Node b);
  Node multiply(Node a, Node b);
  Node divide(Node a, Node b);
  Node negate(Node a);
  // Of a product that has a conjugate in it the other factors'; of what is real the number itself.
  Node conjugate(Node a);
  Node select(Node condition, Node then, Node otherwise);
  // The sum along the axes: of what is the same for all of them as often as there are elements;
  // what all terms are multiplied with once.
  Node sum(Node a, AxisMask over);

 private:
  Node logical(ElementOp op, Node a, Node b);
  Node power(Node a, Node b);
  Node compare(ElementOp op, ElementArena::Operands operands);
  Node multiply_by_number(Node number, Node b);

  ElementArena& arena_;
};

}  // namespace opweave::codegen
