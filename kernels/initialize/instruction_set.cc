// Which of the instruction sets that kernels are compiled for this processor runs.
#include "hwy/targets.h"
#include "kernels/cpu/pointwise/targets.h"
#include "kernels/initialize/initialize.h"

namespace opweave {

const char* instruction_set() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // the lowest bit is the best one
}

}  // namespace opweave
