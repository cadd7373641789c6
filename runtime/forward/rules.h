// Forward rules: how the tangents of an operator's results follow from those of its arguments. The
// generator prints one for every operator with a gradient that is not left to the operators it is
// made of.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/dispatch/operator.h"

namespace opweave {

class ForwardCall;

enum class ForwardRule : uint8_t {
  kLinear,    // the operator itself, of the tangents
  kFormula,   // `formula`
  kReverse,   // from the gradients, which are recorded: u -> u J is linear, and its gradient is J v
  kElements,  // from the gradients, of an operator of elements: each in the direction of its
              // tangent
  kZero,      // results do not depend on the arguments
  kLost,      // refused where what is written has a tangent: some of it may stay
  kOut,       // refused: what is written into out= has no tangent
};

struct ForwardRuleDef {
  OperatorEntry* op;
  ForwardRule rule;
  bool by_functional = false;               // the form that does not write says how
  void (*formula)(ForwardCall&) = nullptr;  // of kFormula
  std::span<const int> inputs = {};         // tensor arguments that have tangents
  std::span<const int> outputs = {};        // results that have tangents
  std::span<const int> refused = {};        // tensor arguments that may have none
  bool view = false;           // results share memory with arguments, or change shape in place
  bool reads_written = false;  // `formula` reads its value from before
};

// Registers the rules under forward_key(). Keeps the span.
void register_forward_rules(std::span<const ForwardRuleDef> rules);

}  // namespace opweave
