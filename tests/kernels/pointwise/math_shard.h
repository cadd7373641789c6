// Every function of the vocabulary on its own, by name.
#pragma once

#include <string_view>

#include "kernels/cpu/pointwise/loops.h"

namespace opweave::cpu {

// The loops of m::<name>, for the instruction set that Highway would choose now.
const PointwiseLoops* math_loops(std::string_view name);

}  // namespace opweave::cpu
