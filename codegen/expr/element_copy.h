// Pointwise trees made again in another arena, with other trees for some of their arguments.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "codegen/expr/element_algebra.h"

namespace opweave::codegen {

enum class Simplify : bool { no, yes };  // yes: as derivatives are, by the rules of ElementAlgebra

class ElementCopier {
 public:
  using Node = const ElementNode*;

  ElementCopier(ElementArena& arena, Simplify simplify)
      : arena_(arena), algebra_(arena), simplify_(simplify) {}

  // What is read instead of an argument. It has to be in the arena already.
  void replace(uint16_t argument, Node by) { replaced_[argument] = by; }
  Node copy(const ElementNode& node);

 private:
  Node make(const ElementNode& node);
  Node apply(const ElementNode& node);

  ElementArena& arena_;
  ElementAlgebra algebra_;
  Simplify simplify_;
  std::unordered_map<uint16_t, Node> replaced_;
  std::unordered_map<Node, Node> done_;
};

}  // namespace opweave::codegen
