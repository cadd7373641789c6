// The generator that a call draws from.
#pragma once

#include <optional>

#include "runtime/core/base/error.h"
#include "runtime/core/random/generator.h"

namespace opweave::cpu {

inline const Generator& generator_or_default(const std::optional<Generator>& generator) {
  if (!generator || !*generator) return default_generator(kCPU);
  OW_CHECK((*generator)->device().type == kCPU,
           "Expected a 'cpu' device type for generator but found '", (*generator)->device(), "'");
  return *generator;
}

}  // namespace opweave::cpu
