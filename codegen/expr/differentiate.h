// Symbolic differentiation of pointwise trees.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

#include "codegen/expr/element_algebra.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/expr/syntax.h"

namespace opweave::codegen {

// Indices that stand for the gradient of the output and for the output itself in a derived tree.
constexpr uint16_t kGradIndex = 0xFFFE;
constexpr uint16_t kResultIndex = 0xFFFF;

struct ElementDerivative {
  // grad * d(result)/d(argument), over arguments, kGradIndex and kResultIndex. Zero if the
  // result does not depend on the argument, or only in steps. Null if it cannot be derived.
  const ElementNode* gradient = nullptr;
  // What stood in the way, if gradient is null.
  ElementOp obstacle = ElementOp::count_;
};

class Differentiator {
 public:
  explicit Differentiator(ElementArena& arena);

  // May the derivative read the result, where that spares it some of the arguments?
  enum class Result : bool { unread, read };
  ElementDerivative differentiate(const ElementNode& root, uint16_t argument,
                                  Result result = Result::read);

 private:
  using Node = const ElementNode*;

  // d(node)/d(argument_): simplified; null if there is an obstacle.
  Node derive(const ElementNode& node);
  Node derive_select(const ElementNode& node);
  Node derive_call(const ElementNode& node, const Intrinsic& intrinsic);
  // A rule of the table with x, y and r bound.
  Node rule(std::string_view text, const ElementNode& node);
  Node build(const SyntaxNode& syntax, const ElementNode& node);
  const SyntaxNode& parsed(std::string_view text);
  // Reads the result instead of computing it again, where that means saving fewer tensors.
  Node use_result(Node derivative, const ElementNode& root);
  Node replace(Node node, Node from, Node to, std::unordered_map<Node, Node>& done);
  // derivative * grad, with the branches of selects kept apart.
  Node scale(Node derivative, Node grad);

  ElementArena& arena_;
  ElementAlgebra algebra_;
  SyntaxArena syntax_;
  std::unordered_map<std::string_view, const SyntaxNode*> rules_;
  std::unordered_map<Node, Node> derived_;
  uint16_t argument_ = 0;
  ElementOp obstacle_ = ElementOp::count_;
};

// The arguments that a tree reads, element by element (kGradIndex and kResultIndex included).
std::set<uint16_t> read_elements(const ElementNode& root);
// The number of operations, each counted once.
size_t count_operations(const ElementNode& root);

}  // namespace opweave::codegen
