// PointwiseSpec: what the generator derived about a pointwise operator; constant, the same for
// every target.
#pragma once

#include <cstdint>
#include <string_view>

#include "dtypes/dtype.h"

namespace opweave {

inline constexpr int kMaxPointwiseInputs = 8;
inline constexpr int kMaxPointwiseParams = 8;

// How the common (computation and result) type follows from the operands.
enum class PointwisePromotion : uint8_t {
  kDefault,     // the promoted type of all common operands
  kIntToFloat,  // the same, but bool and integral become the default float type
  kNone,        // the type of the first tensor
  kSame,        // the type that all common operands have
};

// What an input or the result is made of.
enum class OperandKind : uint8_t {
  kCommon,  // elements of the common type
  kBool,    // bool, and no part in promotion (a condition or a mask; a comparison's result)
};

// What a number that a program passes has to have a place in, or the call is refused.
enum class NumberUse : uint8_t {
  kOperand,  // nothing: it stands for a tensor (`a + 300`), and wraps like one; or is no number
  kFactor,   // the type of computation
  kElement,  // the common type: it may be the result's element (`masked_fill`)
  // As kElement, but beyond floats of fewer than 32 bits it becomes infinite: it stands for a
  // tensor of one element, and is cast like one (`where`).
  kOneElement,
};

struct PointwiseSpec {
  std::string_view name;  // "add", for messages
  uint8_t num_inputs;     // tensors
  uint8_t num_params;     // numbers
  PointwisePromotion promotion;
  OperandKind result;
  DtypeMask dtypes;  // common types the operator is defined for
  OperandKind inputs[kMaxPointwiseInputs];
  std::string_view input_names[kMaxPointwiseInputs];
  DtypeMask input_dtypes[kMaxPointwiseInputs];  // types that input i may have
  // Whether parameter i takes part in promotion like a Python number (`Scalar`), or not (float,
  // int).
  bool promoting_params[kMaxPointwiseParams];
  // The name of parameter i if it is a number of any type that must suit the common type: no float
  // for integers, no bool but for bool (the alpha of add). Empty otherwise.
  std::string_view checked_params[kMaxPointwiseParams];
  NumberUse number_uses[kMaxPointwiseParams];
  // Types that parameter i may not have: as an operand it is no better than a tensor of them.
  DtypeMask refused_params[kMaxPointwiseParams];
  std::string_view param_names[kMaxPointwiseParams];  // of those that refuse some
  bool contiguous;                                    // the result does not lie as the operands do
  bool casts_out;  // `out` may have another dtype than the result
  bool expanded;   // in place, expanded tensors are written, with a warning
  // What is cast to a common type of 16 bits before it computes in a wider one on the CPU, by bits:
  // inputs that are one number for all elements (others always are), and parameters.
  uint32_t rounded_inputs = 0;
  uint32_t rounded_params = 0;
};

}  // namespace opweave
