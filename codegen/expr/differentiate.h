// Symbolic differentiation of pointwise trees.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

#include "codegen/expr/element_algebra.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/expr/table_texts.h"

namespace opweave::codegen {

// Indices that stand for the gradient of the output and for the output itself in a derived tree.
constexpr uint16_t kGradIndex = 0xFFFE;
constexpr uint16_t kResultIndex = 0xFFFF;

// What operands may be. Of complex numbers gradients are PyTorch's, the conjugates of Wirtinger's
// derivatives: `grad * conj(f'(x))` of a holomorphic f.
enum class Numbers : bool { real, complex };

struct ElementDerivative {
  // grad * d(result)/d(argument), over arguments, kGradIndex and kResultIndex. Zero if the
  // result does not depend on the argument, or only in steps. Null if it cannot be derived.
  const ElementNode* gradient = nullptr;
  // The same forwards, with the tangent of the argument for grad. Another tree for complex numbers
  // alone: `grad * f'(x)`.
  const ElementNode* tangent = nullptr;
  // What stood in the way, if gradient is null.
  ElementOp obstacle = ElementOp::count_;
};

class Differentiator {
 public:
  explicit Differentiator(ElementArena& arena);

  // May the derivative read the result, where that spares it some of the arguments?
  enum class Result : bool { unread, read };
  ElementDerivative differentiate(const ElementNode& root, uint16_t argument,
                                  Result result = Result::read, Numbers numbers = Numbers::real);

 private:
  using Node = const ElementNode*;

  // d(node)/d(argument_) and, of complex numbers, d(node)/d(conj(argument_)): simplified; null if
  // there is an obstacle. Of real numbers the latter is 0.
  struct Slopes {
    Node by = nullptr, by_conjugate = nullptr;
  };
  Slopes derive(const ElementNode& node);
  Slopes derive_select(const ElementNode& node);
  Slopes derive_call(const ElementNode& node, const Intrinsic& intrinsic);
  ComplexRules rules_of(const Intrinsic& intrinsic) const;
  // outer * inner + outer_by_conjugate * conj(inner's), added to the sum.
  void add_product(Slopes& sum, const Slopes& outer, const Slopes& inner);
  // Of both slopes, each with the number that it is multiplied with.
  Node sum_of(const Slopes& slopes, Node grad);
  // Reads the result instead of computing it again, where that means saving fewer tensors.
  Node use_result(Node derivative, const ElementNode& root);
  Node replace(Node node, Node from, Node to, std::unordered_map<Node, Node>& done);
  // derivative * grad, with the branches of selects kept apart.
  Node scale(Node derivative, Node grad);

  ElementArena& arena_;
  ElementAlgebra algebra_;
  TableTexts texts_;
  std::unordered_map<Node, Slopes> derived_;
  uint16_t argument_ = 0;
  Numbers numbers_ = Numbers::real;
  ElementOp obstacle_ = ElementOp::count_;
};

// The arguments that a tree reads, element by element (kGradIndex and kResultIndex included).
std::set<uint16_t> read_elements(const ElementNode& root);
// The number of operations, each counted once.
size_t count_operations(const ElementNode& root);

}  // namespace opweave::codegen
