// Typed pointwise expressions: what `expr` operators compute for one element.
// Kernel printers of every target walk this tree; it is target-neutral and immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

// What a node computes. Every `value` node of one operator has the same type, its compute type.
enum class ElementType : uint8_t {
  value,    // the compute type of the operator: the promoted dtype of its inputs
  boolean,  // true or false
};

enum class ElementOp : uint8_t {
  // Leaves.
  argument,       // node.index: argument of the operator; a tensor's element or a parameter
  literal,        // node.number / node.is_float, or for booleans node.number != 0
  has_value,      // boolean: optional argument node.index was given (uniform)
  string_equals,  // boolean: string argument node.index equals node.text (uniform)
  // Conversions, inserted by the checker.
  to_value,    // boolean -> 0 or 1
  to_boolean,  // value -> value != 0
  // Of entries that fold (folds.h).
  fold,    // one value of all elements along node.over; node.index: which FoldKind
  extent,  // how many elements lie along node.over: the same for all of them
  // Where an element lies: node.index is kFoldedPlace, along all that is folded in row-major order,
  // or 1 + which of the dimensions that `axes` names.
  coordinate,
#define OPWEAVE_INTRINSIC(op, ...) op,
#define OPWEAVE_ELEMENT_OP(op) op,
#include "codegen/expr/intrinsics.def"
  count_,  // how many there are
};

// The name of an operation: `add`, `exp`, `less`, ...
std::string_view element_op_name(ElementOp op);

// Bit i stands for axis i of what an entry computes: the dimensions of its elements, in groups.
using AxisMask = uint8_t;
constexpr AxisMask kKeptAxes = 1;    // all that are not folded
constexpr AxisMask kFoldedAxes = 2;  // all that are
constexpr AxisMask kAllAxes = kKeptAxes | kFoldedAxes;
constexpr uint16_t kFoldedPlace = 0;

// Nodes are hash-consed: within one model, equal subtrees are the same pointer, so a printer that
// remembers nodes by address computes common subexpressions once.
struct ElementNode {
  ElementOp op;
  ElementType type;
  bool needs_float = false;  // this node, apart from its operands, needs a floating compute type
  bool uniform = false;      // the same for every element: depends on parameters only
  bool is_float = false;     // of a literal: written with a point or an exponent
  // Of entries that fold: the axes along which the value is not always the same, and those that a
  // fold makes one value of, or whose elements an extent counts. 0 in pointwise trees.
  AxisMask axes = 0, over = 0;
  uint16_t index = 0;     // of argument, has_value, string_equals: index into the arguments
  double number = 0;      // of a literal (exact for integers below 2^53)
  std::string_view text;  // of string_equals
  std::span<const ElementNode* const> operands;
  Span span;        // where its first occurrence was written; may point nowhere
  uint32_t id = 0;  // creation order: a stable order for printing and maps

  const ElementNode& operand(size_t i) const { return *operands[i]; }
};

// The dtype that an operator computes in, and that of its result.
enum class ComputeRule : uint8_t {
  common,        // the promoted dtype of the promoting arguments
  int_to_float,  // the same, but integers and booleans become the default floating dtype
  first,         // the dtype of the first tensor argument
  same,          // the dtype that all tensor arguments have
};
enum class ResultRule : uint8_t { compute, boolean };

struct Promotion {
  ComputeRule compute = ComputeRule::common;
  ResultRule result = ResultRule::compute;
};

// How a pointwise operator reads each of its arguments.
struct ElementArgument {
  bool used = false;
  bool as_boolean = false;  // only its truth is read: it takes no part in promotion
  bool promotes = false;    // takes part in choosing the compute type
  bool suits = false;       // a number that is no float for integers, and no bool but for bool
  bool exact = false;       // one number beside 16 bits is not rounded to them
};

}  // namespace opweave::codegen
