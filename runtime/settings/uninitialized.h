// Whether the elements of tensors that a program makes without elements are known all the same.
//
// Programs that are to give the same numbers in every run ask for it, since what they read before
// they write it differs between runs: torch.utils.deterministic.fill_uninitialized_memory.
#pragma once

#include "runtime/core/numbers/scalar.h"

namespace opweave {

// Not at first. It holds for empty() and its kin, and for what resize_() adds.
bool fills_uninitialized();
void set_fills_uninitialized(bool fills);

// What is put in their place, as PyTorch does: NaN, the largest integer, true.
Scalar uninitialized_pattern(ScalarType dtype);

}  // namespace opweave
