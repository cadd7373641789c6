// The model of gradients: one formula per input or group of inputs, and what has to be saved for
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/expr/formula.h"

namespace opweave::codegen {

// Something that a backward node keeps from the forward call.
struct Saved {
  enum class Kind : uint8_t {
    argument,           // the argument itself: a tensor, a list, a number
    result,             // an output
    argument_property,  // of a tensor argument only this: sizes, options, ...
    result_property,
    forward_value,  // the value of `node`, which reads only arguments, taken in the forward call
  };

  Kind kind = Kind::argument;
  uint16_t index = 0;  // of the argument or output
  Property property =
      Property::count_;               // of the property kinds; `size`, `dim`, `numel` save `sizes`
  Type type;                          // of what is saved
  std::string name;                   // unique in the derivative: `self`, `result`, `self_sizes`
  const FormulaNode* node = nullptr;  // of forward_value: the formula holds this very node

  friend bool operator==(const Saved&, const Saved&) = default;
};

// What became of comparing an author's formula with the derivative of the operator's expression.
struct Agreement {
  enum class How : uint8_t {
    not_asked,     // there is nothing to compare: the formula is derived, or there is no expression
    not_compared,  // `reason` says why
    by_algebra,
    in_numbers,  // at `points` points
  };

  How how = How::not_asked;
  std::string reason;  // why it was not compared
  int points = 0;
  bool at_kinks = true;   // of by_algebra: also at single points, where conditions turn
  std::string partly;     // of by_algebra: why not everywhere but where both are finite
  std::string exception;  // a point at the edge of what floats hold where they are not equal
};

// The gradient of one input, or of several that one expression computes together.
struct DerivativeFormula {
  enum class Kind : uint8_t { formula, zero, non_differentiable };

  Kind kind = Kind::formula;
  std::vector<uint16_t> inputs;  // indices of arguments; one, or as many as the tuple has
  const FormulaNode* formula =
      nullptr;                      // of Kind::formula; with several inputs its type is a tuple
  std::vector<uint16_t> saved;      // indices into Derivative::saved: what this formula reads
  std::vector<uint16_t> gradients;  // indices of outputs whose gradient it reads
  // Those of several gradients that may be undefined where it is run, and that it hands to what
  // takes tensors alone: zeros stand for them.
  std::vector<uint16_t> filled;
  bool uses_grad_input_mask = false;
  bool derived = false;  // from the operator's expression, not written by hand
  // Of Kind::non_differentiable: a call fails whose input requires a gradient or has a tangent.
  bool refused = false;
  Span span;  // where the entry names its inputs; none if it is derived
  Agreement agreement;
};

// The tangent of one output, from tangents of the inputs.
struct ForwardFormula {
  enum class Kind : uint8_t {
    linear,       // the operator itself, of the tangents
    elementwise,  // the gradients' formulas with the tangent of their input for `grad`
    formula,
  };

  // Undefined tangents stand for zeros: a term is left out when all that it reads are undefined.
  struct Term {
    const FormulaNode* formula = nullptr;
    std::vector<uint16_t> tangents;  // the arguments whose tangents it reads
  };

  Kind kind = Kind::formula;
  uint16_t output = 0;
  const FormulaNode* formula = nullptr;  // of Kind::formula, whole
  std::vector<Term> terms;               // of Kind::formula: the tangent is their sum
  Span span;                             // where the entry names the output
};

struct Derivative {
  std::vector<DerivativeFormula>
      formulas;  // every tensor argument of the operator is in exactly one
  std::vector<bool> differentiable_outputs;  // parallel to the schema's returns
  std::vector<ForwardFormula> forward;       // none: from the gradients, see lowered/forward.h
  // Of complex numbers: a gradient with the tangent for `grad` is not the tangent of the result.
  bool conjugates = false;
  std::vector<Saved> saved;  // of all formulas together, without repeats

  std::string keeps;  // why it keeps what the lint would not have kept, if the entry says

  // The formula that covers this argument, or null.
  const DerivativeFormula* formula_of(uint16_t argument) const;
};

// What a property is computed from: `size`, `dim` and `numel` need only `sizes`, `stride` only
// `strides`, the rest itself. Savers and printers must agree on this.
Property saved_property(Property property);

}  // namespace opweave::codegen
