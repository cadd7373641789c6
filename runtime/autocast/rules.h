// Autocast rules: what operators compute in inside of a region. The generator prints one for every
// operator whose entry in ops.yaml says `autocast`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/dispatch/operator.h"

namespace opweave {

enum class AutocastPolicy : uint8_t {
  kNone,            // what it is given
  kLowerPrecision,  // the dtype of the region
  kFloat32,
  kPromote,  // the widest dtype of its arguments
  kRefused,  // raises
};

struct AutocastRuleDef {
  OperatorEntry* op;
  AutocastPolicy cpu, others;
};

// Registers kernels for them. Keeps the span.
void register_autocast_rules(std::span<const AutocastRuleDef> rules);

}  // namespace opweave
