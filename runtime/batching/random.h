// Random operators under vmap.
#pragma once

#include "runtime/batching/rules.h"

namespace opweave {

// Their dispatch key: included while a vmap runs.
DispatchKey vmap_random_key();
// Makes every operator that draws do as the vmap's randomness says.
void register_random_rules();

}  // namespace opweave
