// Numbers of expressions.
#include "codegen/model/lowered/numbers.h"

namespace opweave::codegen {
namespace {

// Whether a number may be an element of the result as it is: `mask ? value : self`.
bool may_be_element(const ElementNode& node, uint16_t argument) {
  if (node.op == ElementOp::argument) return node.index == argument;
  if (node.op != ElementOp::select) return false;
  return may_be_element(node.operand(1), argument) || may_be_element(node.operand(2), argument);
}

bool is_number_of_any_dtype(const Operator& op, uint16_t argument) {
  return op.schema.arguments[argument].type.base == BaseType::scalar;
}

}  // namespace

DTypeSet computed_dtypes(const Operator& op) {
  if (op.elements->promotion.compute != ComputeRule::int_to_float) return op.selected->dtypes;
  const bool makes_floats = (op.selected->dtypes.bits & ~dtypes::kFloating) != 0;
  return makes_floats ? DTypeSet{dtypes::kCommonFloating} : op.selected->dtypes;
}

LoopTypes loop_types(const Operator& op) {
  const bool int_to_float = op.elements->promotion.compute == ComputeRule::int_to_float;
  if (op.selected->left_out_dtypes.bits == 0 || !int_to_float)
    return {op.selected->dtypes.bits, int_to_float};
  const DtypeMask floats = op.selected->dtypes.bits & dtypes::kFloating;
  const bool makes_floats = floats != op.selected->dtypes.bits;
  return {makes_floats ? floats | dtype_bit(kFloat) : floats, false};
}

// Operands that a program may write as a number (`a + 300`) wrap like tensors; what has a default,
// or does not promote, is a parameter. One that suits the elements has a place among them. What may
// be an element as it is stands for a tensor of one element where it is an operand.
NumberPlace place_of_number(const Operator& op, uint16_t argument) {
  if (!is_number_of_any_dtype(op, argument)) return NumberPlace::anywhere;
  const ElementArgument& use = op.elements->arguments[argument];
  if (use.suits) return NumberPlace::element;
  const bool operand = use.promotes && !op.schema.arguments[argument].default_value.has_value();
  if (may_be_element(*op.elements->expr, argument)) {
    const bool counts = operand && op.elements->promotion.compute != ComputeRule::first;
    return counts ? NumberPlace::one_element : NumberPlace::element;
  }
  return operand ? NumberPlace::anywhere : NumberPlace::computation;
}

// What stands for a tensor is cast to the dtype of the others, as they are, and so is what suits
// it.
bool is_rounded(const Operator& op, uint16_t argument) {
  const ElementArgument& use = op.elements->arguments[argument];
  const bool operand = is_number_of_any_dtype(op, argument) && use.promotes &&
                       place_of_number(op, argument) == NumberPlace::anywhere;
  return use.suits || (operand && !use.exact);
}

}  // namespace opweave::codegen
