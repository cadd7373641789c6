// Typed formulas over operators: what `composite` operators compute, and how gradients are
// computed. Emitters print this tree; every call is resolved, in schema order, with conversions
// explicit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codegen/diagnostics/source.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

struct Operator;
struct Schema;

enum class FormulaKind : uint8_t {
  // Leaves.
  argument,         // node.index: an argument of the operator that the formula belongs to
  gradient,         // node.index: the gradient of that output (`grad`, `grads[i]`)
  result,           // node.index: that output of the operator
  tangent,          // node.index: the tangent of that argument (`self_t`), in a forward rule
  grad_input_mask,  // bool[N]: which of the N inputs of this formula need a gradient
  local,            // node.index: a value that the rule has named (`let`)
  named,            // operand 0: the part of a composite that its `let` calls node.index
  constant,         // node.constant: number, truth value, string, none, or a symbol of node.type
  // Values of tensors, without their elements.
  property,  // operand 0 is a Tensor; node.property; `size` and `stride` have operand 1, the dim
  // Calls.
  call,      // node.op: operands parallel to its schema's arguments
  function,  // node.function, a rule function: likewise
  element,   // operand 0 is a call with several returns or a list; node.index: which of them.
  index,     // operand 0 is a list, operand 1 an int
  list,      // operands: the elements, of one type
  tuple,     // operands: one per returned value
  // Arithmetic on numbers and truth values, never on tensors: node.symbol is the operator.
  unary,
  binary,
  conditional,  // condition, then, otherwise
  // Conversion of operand 0 to node.type; node.conversion says which.
  convert,
};

enum class Property : uint8_t {
  sizes,
  size,
  dim,
  numel,
  strides,
  stride,
  storage_offset,
  scalar_type,
  layout,
  device,
  options,
  defined,
  is_floating_point,
  is_complex,
  length,       // of a list: the number of its elements
  sizes_along,  // of a list of tensors: the size of each along operand 1, an int[]
  has_value,    // of an optional that is no tensor
  count_,
};
// As C++ spells the method: `sizes`; `size` for the length of a list.
std::string_view property_name(Property property);

enum class Conversion : uint8_t {
  number_to_tensor,  // int, float, bool or Scalar -> wrapped number: a Tensor that does not promote
  number_to_scalar,  // int, float or bool -> Scalar
  int_to_float,
  int_to_list,     // int -> int[N]: N times the same
  to_optional,     // T -> T?; none -> T? is a constant instead
  none_to_tensor,  // none -> the undefined Tensor
  from_optional,   // T? -> T, written `x.value()`: the author knows that it has one
};

struct FormulaNode {
  FormulaKind kind;
  Type type;  // of a call with several returns: BaseType::tuple, see op->schema.returns
  Span span;
  Property property = Property::count_;
  Conversion conversion = Conversion::number_to_tensor;
  bool is_default = false;  // an argument that the call left out: its value is the schema's default
  uint16_t index = 0;
  std::string_view symbol;             // `+`, `!`, `&&`, ...
  const Operator* op = nullptr;        // of a call
  const Schema* function = nullptr;    // of a call of a rule function
  const Constant* constant = nullptr;  // of a constant
  std::span<const FormulaNode* const> operands;

  const FormulaNode& operand(size_t i) const { return *operands[i]; }
};

}  // namespace opweave::codegen
